import { useState, type ReactNode } from 'react';
import { Input } from './field.tsx';

/** The code of an authenticator app, or a recovery code by who has lost the app. */
export function CodeField({
  fault,
  allowsRecovery = true,
  autoFocus = false,
}: {
  readonly fault?: string | null;
  readonly allowsRecovery?: boolean;
  readonly autoFocus?: boolean;
}): ReactNode {
  const [isRecovery, setRecovery] = useState(false);
  return (
    <div className="flex flex-col gap-0.5">
      <Input
        // Anew, so that nothing of the other kind stays in it.
        key={String(isRecovery)}
        label={isRecovery ? 'Recovery code' : 'Code of your authenticator app'}
        name="code"
        required
        // The step has nothing else to do.
        // oxlint-disable-next-line jsx-a11y/no-autofocus
        autoFocus={autoFocus || isRecovery}
        autoComplete="one-time-code"
        autoCapitalize="none"
        spellCheck={false}
        className="font-mono"
        {...(isRecovery ? {} : { inputMode: 'numeric', pattern: '\\s*\\d{3}\\s?\\d{3}\\s*', title: '6 digits' })}
        fault={fault}
      />
      {allowsRecovery ? (
        <div>
          <button
            type="button"
            onClick={() => setRecovery((before) => !before)}
            className="rounded-small text-accent underline underline-offset-2"
          >
            {isRecovery ? 'Use the app’s code' : 'Use a recovery code'}
          </button>
        </div>
      ) : null}
    </div>
  );
}
