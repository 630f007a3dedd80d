import { useState, type ReactNode } from 'react';
import { numberOf, textOf } from '../../../data/form.ts';
import type { Failure } from '../../../data/failure.ts';
import { useMutation, useQuery } from '../../../data/graphql/hooks.ts';
import { Button } from '../../../design/button.tsx';
import { Checkbox, Input, Select } from '../../../design/field.tsx';
import { FormFailure, useFieldError } from '../../../design/form-failure.tsx';
import { Form, FormAlert } from '../../../design/form.tsx';
import { words } from '../../../design/format.ts';
import { Section } from '../../../design/page.tsx';
import { Failed, SkeletonRows } from '../../../design/state.tsx';
import { useToast } from '../../../design/toast.tsx';
import {
  ContentLoggingDocument,
  UpdateContentLoggingDocument,
  type AccountContentLoggingFragment,
  type ContentLevel,
} from '../../../generated/graphql.ts';
import { usePermissions } from '../../../shell/permissions.ts';
import { RedactionFields, redactionOf } from './redaction-fields.tsx';
import { RedactionTest } from './redaction-test.tsx';

const levels: readonly ContentLevel[] = ['OFF', 'METADATA', 'FULL'];
const MAX_DAYS = 3_650;

/** Which content of the account's requests is stored, for how long, and what is redacted before. */
export function ContentLogging(): ReactNode {
  const { data, failure, refetch } = useQuery(ContentLoggingDocument, {});
  return (
    <Section title="Content logging">
      <p className="max-w-[640px] text-soft">
        Stores prompts and answers of requests, after personal data and secrets are replaced. Off unless you or the
        operator of this server turn it on.
      </p>
      {failure ? <Failed failure={failure} onRetry={refetch} /> : null}
      {data ? <Settings key={data.account.id} account={data.account} /> : failure ? null : <SkeletonRows rows={6} />}
    </Section>
  );
}

function Settings({ account }: { readonly account: AccountContentLoggingFragment }): ReactNode {
  const { can, rolesAllowedTo } = usePermissions();
  const [update, pending] = useMutation(UpdateContentLoggingDocument);
  const [failure, setFailure] = useState<Failure | null>(null);
  const toast = useToast();
  const canChange = can('content_logging.write');
  const submit = async (form: FormData): Promise<void> => {
    setFailure(null);
    const level = levels.find((each) => each === textOf(form, 'level')) ?? null;
    // Without logging there is no search.
    const search = level !== 'OFF' && form.has('search');
    const input = { level, retentionDays: numberOf(form, 'retentionDays'), redaction: redactionOf(form), search };
    const result = await update({ input });
    if (result.failure) setFailure(result.failure);
    else toast.done('Content logging updated.');
  };
  return (
    <Form label="Content logging" onSubmit={submit} className="max-w-[640px]">
      <FormFailure failure={failure} pending={pending}>
        <FormAlert text={failure !== null && !hasField(failure.param) ? failure.message : null} />
        {account.zeroRetention ? (
          <p className="rounded-medium bg-panel px-1.5 py-1">
            This account has zero retention: no content is stored, whatever is selected here.
          </p>
        ) : null}
        <fieldset disabled={!canChange} className="flex min-w-0 flex-col gap-2">
          <Fields logging={account.contentLogging} />
          <RedactionFields redaction={account.contentLogging.redaction} />
          {canChange ? <RedactionTest /> : null}
          <Checkbox
            label="Search in content"
            name="search"
            defaultChecked={account.contentLogging.search}
            hint="Stores the words of redacted prompts and answers in the database, unencrypted: the one plaintext copy. It has the retention of the content. Unchecking this, or the level Off, deletes it at once."
          />
        </fieldset>
        <StoredWhere />
        {canChange ? (
          <div>
            <Button type="submit" pending={pending}>
              Save
            </Button>
          </div>
        ) : (
          <p className="text-soft">
            Only {rolesAllowedTo('content_logging.write')} of the account can change these settings.
          </p>
        )}
      </FormFailure>
    </Form>
  );
}

function Fields({ logging }: { readonly logging: AccountContentLoggingFragment['contentLogging'] }): ReactNode {
  const error = useFieldError((param) => param === 'retentionDays');
  return (
    <div className="grid gap-1.5 md:grid-cols-2">
      <Select
        label="Stored content"
        name="level"
        defaultValue={logging.isDefault ? '' : logging.level}
        hint="API keys and the header x-sluice-log can store less."
      >
        <option value="">{logging.isDefault ? `Server default (${words(logging.level)})` : 'Server default'}</option>
        {levels.map((level) => (
          <option key={level} value={level}>
            {words(level)}
          </option>
        ))}
      </Select>
      <Input
        label="Retention (days)"
        name="retentionDays"
        type="number"
        required
        min={1}
        max={MAX_DAYS}
        step={1}
        defaultValue={logging.retentionDays}
        error={error}
        hint="Then content is deleted. The usage log remains."
      />
    </div>
  );
}

/** Says plainly what each level stores, and where. */
function StoredWhere(): ReactNode {
  return (
    <div className="flex flex-col gap-0.5">
      <h3 className="font-strong">What is stored where</h3>
      <ul className="flex list-disc flex-col gap-0.5 pl-2.5 text-soft">
        <li>Off: only the usage log, in the database: models, tokens, cost and times, without content.</li>
        <li>
          Metadata: also roles, sizes, counts and names of tools, and type, size and hash of media. No text of prompts
          or answers.
        </li>
        <li>
          Full: also the redacted bodies of requests and responses, encrypted, in the server’s file storage (its data
          folder or S3). Media as its type, size and hash.
        </li>
        <li>
          Search: also the words of these bodies, redacted and not encrypted, in the database. Whoever reads the
          database can read them.
        </li>
        <li>
          Responses, conversations, files and batches that a client asks to store are separate: they are stored as sent,
          encrypted, and not redacted.
        </li>
      </ul>
    </div>
  );
}

/** Whether a field shows the errors of this input member. */
function hasField(param: string | undefined): boolean {
  return /^(retentionDays$|redaction\.customPatterns\.\d+)/.test(param ?? '');
}
