import { Check } from 'lucide-react';
import { Fragment, type ReactNode } from 'react';
import { words } from '../../design/format.ts';
import { Section } from '../../design/page.tsx';
import { roles, type Permission } from '../../shell/permissions.ts';
import { roleTexts } from './role-texts.ts';

const keyScopeTexts: Readonly<Record<string, string>> = {
  inference: 'Inference',
  read: 'Read',
  manage: 'Manage, with a permitted role',
};

/** The permissions of each role, from the server's authorization table. */
export function RolesTable({ permissions }: { readonly permissions: readonly Permission[] }): ReactNode {
  return (
    <Section title="Roles">
      <dl className="grid gap-x-3 gap-y-0.5 md:grid-cols-[max-content_minmax(0,1fr)]">
        {roles.map((role) => (
          <Fragment key={role}>
            <dt className="font-strong">{words(role)}</dt>
            <dd className="text-soft max-md:mb-1">{roleTexts[role]}</dd>
          </Fragment>
        ))}
      </dl>
      <details className="mt-1">
        <summary className="w-fit rounded-small text-accent underline underline-offset-2">Permissions by role</summary>
        {/* Focusable, so that the keyboard can scroll it. */}
        {/* oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex */}
        <div role="region" aria-label="Permissions by role" tabIndex={0} className="mt-1 overflow-x-auto">
          <table className="w-full min-w-[640px] text-left">
            <thead>
              <tr className="text-small text-soft">
                <th scope="col" className="h-4 font-normal">
                  Action
                </th>
                {roles.map((role) => (
                  <th key={role} scope="col" className="px-1 text-center font-normal">
                    {words(role)}
                  </th>
                ))}
                <th scope="col" className="pl-2 font-normal">
                  API key scope
                </th>
              </tr>
            </thead>
            <tbody>
              {permissions.map((permission) => (
                <tr key={permission.action} className="border-t border-line">
                  <th scope="row" className="h-4.5 font-normal">
                    {permission.does}
                  </th>
                  {roles.map((role) => (
                    <td key={role} className="px-1 text-center">
                      {permission.roles.includes(role) ? (
                        <Check size={16} aria-label="yes" role="img" className="inline text-good" />
                      ) : (
                        <span className="sr-only">no</span>
                      )}
                    </td>
                  ))}
                  <td className="pl-2 text-soft">
                    {permission.keyScope ? (keyScopeTexts[permission.keyScope] ?? permission.keyScope) : 'Users only'}
                  </td>
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      </details>
    </Section>
  );
}
