import type { ReactNode } from 'react';
import { useT } from '#client/lib/i18n.tsx';
import { Card } from '#client/ui/card.tsx';
import { ConfirmButton } from '#client/ui/confirm-button.tsx';
import { Button } from '#client/ui/button.tsx';
import { Form } from '#client/ui/form.tsx';
import { Status, type StatusShape } from '#client/ui/status.tsx';
import type { MachineView } from '#shared/contract/machine.ts';
import { MACHINE_GRADES, type PartState } from '#shared/machine.ts';
import { Command } from './command.tsx';

type Machine = NonNullable<MachineView['machine']>;
type Part = Machine['parts'][number];
const SHAPES: Readonly<Record<PartState, StatusShape>> = { enforced: 'active', partial: 'expiring', missing: 'failed' };

/** For whom the machine is fit, what each part holds, and the operator's word for those that are weak. */
export function GradeCard({ machine, mayEdit }: { machine: Machine; mayEdit: boolean }): ReactNode {
  const t = useT('machine');
  const { grade } = machine;
  return (
    <Card title={t('protects')} text={t('protectsText')}>
      <div className="sp-machine__grade">
        <span className="sp-machine__letter" data-grade={grade} aria-hidden>
          {grade}
        </span>
        <div>
          <p className="sp-sr">{t('grade', { grade })}</p>
          <p className="sp-machine__verdict">{t(`verdict.${grade}`)}</p>
          <p className="sp-muted">{t(machine.open ? 'closedToStrangers' : 'openToStrangers')}</p>
        </div>
      </div>
      <ul className="sp-machine__grades" aria-label={t('grades')}>
        {MACHINE_GRADES.map((each) => (
          <li key={each} aria-current={each === grade || undefined}>
            <b>{each}</b> {t(`means.${each}`)}
          </li>
        ))}
      </ul>
      <ul className="sp-machine__parts">
        {machine.parts.map((part) => (
          <li key={part.part}>
            <div className="sp-machine__part">
              <Status shape={SHAPES[part.state]}>{t(`part.${part.part}.name`)}</Status>
              <span className="sp-muted">{t(`state.${part.state}`)}</span>
            </div>
            <p className="sp-muted">
              {part.state === 'enforced'
                ? t(`part.${part.part}.enforced`, { version: machine.groups })
                : t(`part.${part.part}.weak`)}
            </p>
            {part.part === 'disk' && part.state !== 'enforced' && <QuotaAdvice machine={machine} />}
            {part.state !== 'enforced' && mayEdit && <Accept part={part} />}
          </li>
        ))}
      </ul>
    </Card>
  );
}

/** What has the kernel hold limits of disk on the file system that the servers lie on. */
function QuotaAdvice({ machine: { disk, folder } }: { machine: Machine }): ReactNode {
  const t = useT('machine');
  if (disk.kind === 'xfs') return <p className="sp-muted">{t('quota.xfs')}</p>;
  if (disk.kind !== 'ext4') return <p className="sp-muted">{t('quota.other', { kind: disk.kind })}</p>;
  const quotes = `'${folder.replaceAll("'", String.raw`'\''`)}'`;
  const lines = [
    'apt install quota',
    `disk=$(findmnt -n -o TARGET -T ${quotes})`,
    'mount -o remount,usrjquota=aquota.user,jqfmt=vfsv1 "$disk"',
    'quotacheck -cmu "$disk"',
    'quotaon -u "$disk"',
    'systemctl restart spawnpoint-node',
  ];
  return (
    <>
      <p className="sp-muted">{t('quota.text')}</p>
      <Command line={lines.join(' && ')} what={t('quota.line')} />
      <p className="sp-muted">{t('quota.ext4')}</p>
    </>
  );
}

/** The operator's explicit word for a weak part, and taking it back. */
function Accept({ part: { part, accepted } }: { part: Part }): ReactNode {
  const t = useT('machine');
  const name = t(`part.${part}.name`);
  return (
    <Form noSummary preventScrollReset>
      <input type="hidden" name="_intent" value="accept" />
      <input type="hidden" name="word" value={part} />
      <input type="hidden" name="in" value={accepted ? '0' : '1'} />
      {accepted ? (
        <Button type="submit" size="sm" aria-label={t('withdrawOf', { name })}>
          {t('withdraw')}
        </Button>
      ) : (
        <ConfirmButton
          size="sm"
          variant="danger-quiet"
          sure={t('acceptAsk', { name })}
          ask={{ title: t('acceptAsk', { name }), text: t(`part.${part}.weak`), ok: t('accept'), tone: 'danger' }}
        >
          {t('accept')}
        </ConfirmButton>
      )}
    </Form>
  );
}
