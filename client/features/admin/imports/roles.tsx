import type { ReactNode } from 'react';
import { useLooseT, useT } from '#client/lib/i18n.tsx';
import { Card, Facts } from '#client/ui/card.tsx';
import { Disclosure } from '#client/ui/disclosure.tsx';
import { Field } from '#client/ui/field.tsx';
import { Select } from '#client/ui/select.tsx';
import { constantOf } from '#shared/can.ts';
import type { ImportDetailsView } from '#shared/contract/imports.ts';

type SourceRole = ImportDetailsView['roles'][number];

/** What users with each role of the source get here: as proposed, until the owner says otherwise. */
export function RoleChoices({ details }: { details: ImportDetailsView }): ReactNode {
  const t = useT('imports');
  return (
    <section className="sp-stack" data-gap="3">
      <h3>{t('roles')}</h3>
      <p className="sp-muted">{t('rolesText')}</p>
      {details.roles.map((role) => (
        <RoleChoice key={role.name} role={role} targets={details.targets} />
      ))}
    </section>
  );
}

function RoleChoice({ role, targets }: { role: SourceRole } & Pick<ImportDetailsView, 'targets'>): ReactNode {
  const t = useT('imports');
  const { name, users, to, permissions, unmatched } = role;
  const proposed = to === 'new' ? permissions : (targets.find(({ id }) => id === to)?.permissions ?? []);
  return (
    <div className="sp-imports__role">
      <input type="hidden" name="role" value={name} />
      <Field
        label={<span className="sp-imports__long">{t('roleOf', { role: name, count: users })}</span>}
        hint={unmatched > 0 ? t('permissionsUnmatched', { count: unmatched }) : undefined}
      >
        <Select
          name="to"
          defaultValue={to}
          options={[
            { value: 'default', label: t('roleDefault') },
            ...(permissions.length > 0 ? [{ value: 'new', label: t('roleNew', { role: name }) }] : []),
            ...targets.map((target) => ({ value: target.id, label: target.name })),
          ]}
        />
      </Field>
      {proposed.length > 0 && (
        <Disclosure label={t('permissionsProposed', { count: proposed.length })}>
          <Rights permissions={proposed} />
        </Disclosure>
      )}
    </div>
  );
}

function Rights({ permissions }: { permissions: readonly string[] }): ReactNode {
  const t = useLooseT('permissions');
  return (
    <ul className="sp-imports__steps">
      {permissions.map((permission) => (
        <li key={permission}>{t(`${constantOf(permission)}.label`)}</li>
      ))}
    </ul>
  );
}

/** What users with each role of the source got here. */
export function DecidedRoles({ details: { roles, decided } }: { details: ImportDetailsView }): ReactNode {
  const t = useT('imports');
  const items = roles.map(({ name }) => {
    const found = decided?.find((each) => each.name === name);
    return { label: name, value: found ? found.role || t('roleGone') : t('roleDefault') };
  });
  return (
    <Card title={t('roles')}>
      <Facts items={items} />
    </Card>
  );
}
