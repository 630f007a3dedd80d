import { KeyRound } from 'lucide-react';
import { useState, type ReactNode } from 'react';
import { useMutation, useQuery } from '../../data/graphql/hooks.ts';
import { Button } from '../../design/button.tsx';
import { CopyLine } from '../../design/code.tsx';
import { Checkbox, Select } from '../../design/field.tsx';
import { useToast } from '../../design/toast.tsx';
import { CreateFirstKeyDocument, ToolKeysDocument, type CreateFirstKeyMutation } from '../../generated/graphql.ts';
import { usePermissions } from '../../shell/permissions.ts';
import { KeySafety } from '../keys/key-safety.tsx';

type CreatedKey = CreateFirstKeyMutation['createApiKey'];

/** Chooses a key, whose secret is not known here, or creates one. Its secret is held in the state of the page only. */
export function ToolKey({
  tool,
  model,
  pattern,
  onChange,
}: {
  /** The new key’s name: each tool has its own limits, budget and usage. */
  readonly tool: string;
  /** Null until one is chosen. */
  readonly model: string | null;
  /** The names that the tool requests of its own choice; null where it requests none. */
  readonly pattern: string | null;
  /** Called with the secret, or with what stands for it where it is not known. */
  readonly onChange: (key: string | null) => void;
}): ReactNode {
  const { can } = usePermissions();
  const canRead = can('keys.read');
  const { data } = useQuery(ToolKeysDocument, {}, { pause: !canRead });
  const [create, pending] = useMutation(CreateFirstKeyDocument);
  const [created, setCreated] = useState<{ readonly key: CreatedKey; readonly tool: string } | null>(null);
  const toast = useToast();
  const keys = data?.apiKeys.nodes ?? [];
  const [redirects, setRedirects] = useState(false);
  const redirected = redirects && pattern !== null && model !== null ? [{ name: pattern, model }] : null;
  const [chosen, setChosen] = useState('');
  const choose = (id: string): void => {
    setChosen(id);
    const name = keys.find((key) => key.id === id)?.name;
    onChange(name === undefined ? (created?.key.secret ?? null) : `<secret of ${name}>`);
  };
  const createKey = async (): Promise<void> => {
    const { data: made, failure } = await create({ input: { name: tool, modelAliases: redirected } });
    if (failure) {
      toast.failed(failure);
      return;
    }
    setCreated({ key: made.createApiKey, tool });
    onChange(made.createApiKey.secret);
  };
  const own = created?.tool === tool ? created.key : null;
  return (
    <div className="flex flex-col gap-1.5">
      {created === null ? null : (
        <>
          <CopyLine text={created.key.secret} label="Copy the key" />
          <p className="text-soft">Copy the key of {created.tool} now. It is shown only once, and filled in below.</p>
          <KeySafety apiKeyId={created.key.apiKey.id} />
        </>
      )}
      {own !== null || keys.length === 0 ? null : (
        <>
          <Select label="API key" hidesLabel value={chosen} onChange={({ target }) => choose(target.value)}>
            <option value="">Choose a key</option>
            {keys.map(({ id, name, hint }) => (
              <option key={id} value={id}>
                {name} ({hint})
              </option>
            ))}
          </Select>
          {chosen === '' ? null : (
            <p className="text-soft">Its secret was shown when it was created. Fill it in where the set-up names it.</p>
          )}
        </>
      )}
      {own === null && chosen === '' && can('keys.write') ? (
        <>
          {pattern === null || model === null ? null : (
            <Checkbox
              label={`Answer ${pattern} with this model`}
              hint={`${tool} also requests models of its own choice. The key leads all names that begin so to ${model}.`}
              checked={redirects}
              onChange={({ target }) => setRedirects(target.checked)}
            />
          )}
          <div>
            <Button pending={pending} onClick={() => void createKey()} icon={<KeyRound size={16} aria-hidden />}>
              Create Key for {tool}
            </Button>
          </div>
        </>
      ) : null}
    </div>
  );
}
