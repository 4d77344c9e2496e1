import type { ReactNode } from 'react';
import { useLoaderData } from 'react-router';
import { useT } from '#client/lib/i18n.tsx';
import { Banner } from '#client/ui/banner.tsx';
import { Card, CardSection } from '#client/ui/card.tsx';
import { Icon } from '#client/ui/icon.tsx';
import type { MatrixRole } from '#shared/contract/roles.ts';
import type { RoleChange } from './changes.ts';
import { usePermissionTexts } from './matrix.tsx';
import { Members, RoleName } from './parts.tsx';
import type { MatrixData } from './permissions.tsx';

/** Who gains or loses what, before it is saved. */
export function ReviewCard({ changes, count }: { changes: readonly RoleChange[]; count: number }): ReactNode {
  const t = useT('roles');
  if (count === 0) return <Card title={t('review')} text={t('reviewNone')} />;
  return (
    <Card title={t('review')} count={count}>
      {changes.some(({ grant }) => grant.includes('admin.root')) && <Banner tone="warning">{t('grantsRoot')}</Banner>}
      {changes.map(({ role, grant, revoke }) => (
        <CardSection
          key={role.id}
          title={
            <>
              <RoleName name={role.name} color={role.color} />{' '}
              <span className="sp-muted">
                <Members count={role.members} />
              </span>
            </>
          }
          text={<Names role={role} />}
        >
          <ul className="sp-role-changes">
            {grant.map((value) => (
              <ChangeLine key={value} value={value} gains />
            ))}
            {revoke.map((value) => (
              <ChangeLine key={value} value={value} gains={false} />
            ))}
          </ul>
        </CardSection>
      ))}
    </Card>
  );
}

/** Some of those who notice, and how many more there are. */
function Names({ role }: { role: MatrixRole }): ReactNode {
  const t = useT('roles');
  const rest = role.members - role.names.length;
  if (role.names.length === 0) return null;
  const names = role.names.join(', ');
  return rest > 0 ? t('andMore', { names, count: rest }) : names;
}

function ChangeLine({ value, gains }: { value: string; gains: boolean }): ReactNode {
  const t = useT('roles');
  const { catalogue } = useLoaderData<MatrixData>();
  const texts = usePermissionTexts();
  const entry = catalogue.find((each) => each.value === value);
  if (!entry) return null;
  return (
    <li data-gains={gains}>
      <Icon name={gains ? 'plus' : 'minus'} size="sm" />
      <span>
        <span className="sp-sr">{t(gains ? 'gains' : 'loses')} </span>
        {texts.category(entry.category)}: {texts.label(entry)} <code>{value}</code>
      </span>
    </li>
  );
}
