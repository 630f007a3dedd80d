import { useState, type ReactNode } from 'react';
import { Input } from './field.tsx';

/** A code of an authenticator app, or a recovery code. */
export function CodeField({
  error,
  allowsRecovery = true,
  autoFocus = false,
}: {
  readonly error?: string | null;
  readonly allowsRecovery?: boolean;
  readonly autoFocus?: boolean;
}): ReactNode {
  const [isRecovery, setRecovery] = useState(false);
  return (
    <div className="flex flex-col gap-0.5">
      <Input
        // A new element, so that it does not contain a code of the other kind.
        key={String(isRecovery)}
        label={isRecovery ? 'Recovery code' : 'Code of your authenticator app'}
        name="code"
        required
        // The only field of this step.
        // oxlint-disable-next-line jsx-a11y/no-autofocus
        autoFocus={autoFocus || isRecovery}
        autoComplete="one-time-code"
        autoCapitalize="none"
        spellCheck={false}
        className="font-mono"
        {...(isRecovery ? {} : { inputMode: 'numeric', pattern: '\\s*\\d{3}\\s?\\d{3}\\s*', title: '6 digits' })}
        error={error}
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
