import { KeyRound } from 'lucide-react';
import { useState, type ReactNode } from 'react';
import { useMutation, useQuery } from '../../data/graphql/hooks.ts';
import { Button } from '../../design/button.tsx';
import { CopyLine } from '../../design/code.tsx';
import { Select } from '../../design/field.tsx';
import { useToast } from '../../design/toast.tsx';
import { CreateFirstKeyDocument, ToolKeysDocument, type CreateFirstKeyMutation } from '../../generated/graphql.ts';
import { usePermissions } from '../../shell/permissions.ts';
import { KeySafety } from '../keys/key-safety.tsx';

type CreatedKey = CreateFirstKeyMutation['createApiKey'];

/** Chooses a key, of which only the hint is known, or creates one. Its secret is held in the state of the page only. */
export function ToolKey({
  tool,
  onChange,
}: {
  /** The new key’s name: each tool has its own limits, budget and usage. */
  readonly tool: string;
  /** Called with the secret, or with the hint. */
  readonly onChange: (key: string | null) => void;
}): ReactNode {
  const { can } = usePermissions();
  const canRead = can('keys.read');
  const { data } = useQuery(ToolKeysDocument, {}, { pause: !canRead });
  const [create, pending] = useMutation(CreateFirstKeyDocument);
  const [created, setCreated] = useState<CreatedKey | null>(null);
  const toast = useToast();
  const keys = data?.apiKeys.nodes ?? [];
  const createKey = async (): Promise<void> => {
    const { data: made, failure } = await create({ input: { name: tool } });
    if (failure) {
      toast.failed(failure);
      return;
    }
    setCreated(made.createApiKey);
    onChange(made.createApiKey.secret);
  };
  if (created !== null)
    return (
      <>
        <CopyLine text={created.secret} label="Copy the key" />
        <p className="text-soft">Copy it now. It is shown only once, and filled in below.</p>
        <KeySafety apiKeyId={created.apiKey.id} />
      </>
    );
  return (
    <div className="flex flex-col gap-1.5">
      {keys.length > 0 ? (
        <Select
          label="API key"
          hidesLabel
          defaultValue=""
          onChange={({ target }) => onChange(target.value === '' ? null : target.value)}
        >
          <option value="">Choose a key</option>
          {keys.map(({ id, name, hint }) => (
            <option key={id} value={hint}>
              {name} ({hint})
            </option>
          ))}
        </Select>
      ) : null}
      {can('keys.write') ? (
        <div>
          <Button pending={pending} onClick={() => void createKey()} icon={<KeyRound size={16} aria-hidden />}>
            Create Key for {tool}
          </Button>
        </div>
      ) : null}
    </div>
  );
}
