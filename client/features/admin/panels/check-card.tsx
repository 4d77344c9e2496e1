import type { ReactNode } from 'react';
import { useT } from '#client/lib/i18n.tsx';
import { Banner } from '#client/ui/banner.tsx';
import { Button } from '#client/ui/button.tsx';
import { Card } from '#client/ui/card.tsx';
import { Form } from '#client/ui/form.tsx';
import { List, ListItem } from '#client/ui/list.tsx';
import { Status } from '#client/ui/status.tsx';
import type { PanelCheckView, PanelView } from '#shared/contract/panels.ts';
import { useFaultText, useTimeText } from './texts.ts';

const RIGHTS = ['servers', 'users', 'nodes', 'allocations', 'locations', 'nests', 'eggs'] as const;

/** The connection test: which rights the key has and lacks, the state of the client key, and a button to test again. */
export function CheckCard({ panel }: { panel: PanelView }): ReactNode {
  const t = useT('panels');
  const moment = useTimeText();
  const { checked } = panel;
  return (
    <Card
      flush
      title={t('test')}
      {...(checked ? { text: t('testedAt', { when: moment(checked.at) }) } : { text: t('untested') })}
      foot={
        <Form noSummary preventScrollReset>
          <input type="hidden" name="_intent" value="test" />
          <Button type="submit" icon="refresh">
            {t('testNow')}
          </Button>
        </Form>
      }
    >
      {checked && (checked.fault ? <Failed checked={checked} /> : <Rights checked={checked} />)}
    </Card>
  );
}

function Failed({ checked }: { checked: PanelCheckView }): ReactNode {
  const fault = useFaultText();
  return (
    <div className="sp-panel-pad">
      <Banner tone="danger">{checked.fault && fault(checked.fault)}</Banner>
    </div>
  );
}

function Rights({ checked }: { checked: PanelCheckView }): ReactNode {
  const t = useT('panels');
  const rights = byRight(checked.rights);
  const missing = rights.filter(({ lacks }) => lacks.length > 0).length;
  const client = checked.client_key ?? 'absent';
  const shapes = { ok: 'active', absent: 'off', refused: 'failed' } as const;
  return (
    <>
      <div className="sp-panel-pad">
        <Banner tone={missing > 0 ? 'warning' : 'positive'}>
          {missing > 0 ? t('missing', { count: missing }) : t('allRights')}
        </Banner>
      </div>
      <List label={t('rights')}>
        {rights.map(({ right, level, lacks }) => {
          const known = RIGHTS.find((each) => each === right);
          const state = lacks.length > 0 ? lacks.map((each) => t(`lacks.${each}`)).join(', ') : t(`granted.${level}`);
          return (
            <ListItem
              key={right}
              title={known ? t(`right.${known}`) : right}
              {...(lacks.length > 0 && known ? { text: t(`why.${known}`) } : {})}
              end={<Status shape={lacks.length > 0 ? 'failed' : 'active'}>{state}</Status>}
            />
          );
        })}
        <ListItem
          title={t('clientKey')}
          text={t(`client.${client}Text`)}
          end={<Status shape={shapes[client]}>{t(`client.${client}`)}</Status>}
        />
      </List>
    </>
  );
}

/** One entry per right: the highest level needed, and the missing levels. */
function byRight(rights: PanelCheckView['rights']) {
  const names = [...new Set(rights.map(({ right }) => right))];
  return names.map((right) => {
    const own = rights.filter((each) => each.right === right);
    return {
      right,
      level: own.some(({ level }) => level === 'write') ? ('write' as const) : ('read' as const),
      lacks: own.filter(({ granted }) => !granted).map(({ level }) => level),
    };
  });
}
