import type { ReactNode } from 'react';
import { useT } from '#client/lib/i18n.tsx';
import { Checkbox } from '#client/ui/choice.tsx';
import { FieldGroup } from '#client/ui/field.tsx';
import { SUBUSER_RIGHTS } from '#shared/subusers.ts';
import type { SubuserRight } from '#shared/subusers.ts';

/** Names of rights, in the order of the list. */
export function useRightNames(): (rights: readonly SubuserRight[]) => string {
  const t = useT('sharing');
  return (rights) => rights.map((right) => t(`right.${right}`)).join(' · ');
}

/** What a sub-user may do, to tick. `rights`: ticked at first. */
export function RightsFields({ rights }: { rights: readonly SubuserRight[] }): ReactNode {
  const t = useT('sharing');
  return (
    <FieldGroup label={t('rights')} name="rights">
      <div className="sp-stack" data-gap="2">
        {SUBUSER_RIGHTS.map((right) => (
          <Checkbox
            key={right}
            name="rights"
            value={right}
            defaultChecked={rights.includes(right)}
            {...(right === 'backups' || right === 'startup' ? { hint: t(`hint.${right}`) } : {})}
          >
            {t(`right.${right}`)}
          </Checkbox>
        ))}
      </div>
    </FieldGroup>
  );
}
