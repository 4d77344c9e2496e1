import type { ReactNode } from 'react';
import { useBytesText } from '#client/lib/bytes-text.ts';
import { useFormat, useLooseT, useT } from '#client/lib/i18n.tsx';
import { Banner } from '#client/ui/banner.tsx';
import { Button } from '#client/ui/button.tsx';
import { Card } from '#client/ui/card.tsx';
import { Form } from '#client/ui/form.tsx';
import { LinkButton } from '#client/ui/link-button.tsx';
import { ResourceMeter } from '#client/ui/resource-meter.tsx';
import { Status } from '#client/ui/status.tsx';
import type { MachineView } from '#shared/contract/machine.ts';
import { href } from '#shared/routes/staff-href.ts';
import { Command } from './command.tsx';

type Machine = NonNullable<MachineView['machine']>;
const MB = 1_048_576;
/** How a machine with Debian or Ubuntu gets an engine. */
const ENGINE_COMMANDS = ['apt-get install podman', 'systemctl enable --now podman.socket'];

/** What is used and sold of memory, disk, processor and ports, and what stays free. */
export function CapacityCard({
  data,
  machine,
  mayEdit,
}: {
  data: MachineView;
  machine: Machine;
  mayEdit: boolean;
}): ReactNode {
  const t = useT('machine');
  const format = useFormat();
  const bytes = useBytesText();
  const { sold, used, ports } = data;
  const mayBeSold = Math.floor(((machine.memory.total / MB) * data.memory_share) / 100);
  const disk = machine.disk.total - machine.disk.free;
  const percent = (part: number) => format.percent(part / 100);
  return (
    <Card
      title={t('room')}
      foot={
        mayEdit && (
          <LinkButton to={`${href('admin.settings')}?q=machine_`} size="sm" variant="ghost">
            {t('changeLimits')}
          </LinkButton>
        )
      }
    >
      {sold.memory > mayBeSold && (
        <Banner tone="warning">{t('overSold', { more: format.memory(sold.memory - mayBeSold) })}</Banner>
      )}
      <ResourceMeter
        label={t('memory')}
        used={machine.memory.total - machine.memory.free}
        total={machine.memory.total}
        format={bytes}
        stacked
      />
      <p className="sp-muted">
        {t('memorySold', {
          sold: format.memory(sold.memory),
          most: format.memory(mayBeSold),
          share: percent(data.memory_share),
          used: bytes(used.memory),
        })}
      </p>
      <ResourceMeter label={t('disk')} used={disk} total={machine.disk.total} format={bytes} stacked />
      <p className="sp-muted">
        {t('diskSold', {
          sold: format.memory(sold.disk),
          reserve: bytes(machine.reserve),
          used: bytes(used.disk),
        })}
      </p>
      <ResourceMeter label={t('cpu')} used={used.cpu} total={machine.cores * 100} format={percent} stacked />
      <p className="sp-muted">{t('cpuSold', { sold: percent(sold.cpu) })}</p>
      <ResourceMeter label={t('ports')} used={sold.ports} total={ports.last - ports.first + 1} stacked />
      <p className="sp-muted">{`${ports.first}–${ports.last}`}</p>
    </Card>
  );
}

/** The lines that let players through the machine's own firewall. */
export function FirewallCard({ ports: { first, last } }: { ports: MachineView['ports'] }): ReactNode {
  const t = useT('machine');
  const range = first === last ? String(first) : `${first}:${last}`;
  return (
    <Card title={t('firewall')} text={t('firewallText')}>
      <Command line={`ufw allow ${range}/tcp`} what={t('command')} />
      <Command line={`ufw allow ${range}/udp`} what={t('command')} />
    </Card>
  );
}

/** Why a kind does not run here, in a word or two. */
const lackOf = (id: string, needs: string | null) =>
  id === 'container' ? 'notReady' : needs ? 'notInstalled' : 'otherProcessor';
/** What runs images here, or what is to be done so that something does. */
function EngineText({ engine: { state, ...names } }: { engine: NonNullable<MachineView['engine']> }): ReactNode {
  const t = useT('machine');
  return (
    <>
      <p className="sp-muted">{t(`engine.${state}`, names)}</p>
      {state === 'absent' && ENGINE_COMMANDS.map((line) => <Command key={line} line={line} what={t('command')} />)}
    </>
  );
}

/** The kinds of servers that run here: on or off, and what a kind needs that is not installed. */
export function RecipesCard({
  recipes,
  engine,
  mayEdit,
}: Pick<MachineView, 'recipes' | 'engine'> & { mayEdit: boolean }): ReactNode {
  const t = useT('machine');
  const loose = useLooseT('machine');
  return (
    <Card title={t('recipes')} text={t('recipesText')}>
      <ul className="sp-machine__parts">
        {recipes.map(({ id, on, lacking, needs }) => {
          const name = loose(`recipe.${id}`) || id;
          return (
            <li key={id}>
              <div className="sp-machine__part">
                <Status shape={!on ? 'off' : lacking ? 'failed' : 'active'}>{name}</Status>
                <span className="sp-muted">{t(!on ? 'off' : !lacking ? 'on' : lackOf(id, needs))}</span>
                {mayEdit && (
                  <Form noSummary preventScrollReset>
                    <input type="hidden" name="_intent" value="recipe" />
                    <input type="hidden" name="word" value={id} />
                    <input type="hidden" name="in" value={on ? '1' : '0'} />
                    <Button type="submit" size="sm" aria-label={t(on ? 'turnOffOf' : 'turnOnOf', { name })}>
                      {t(on ? 'turnOff' : 'turnOn')}
                    </Button>
                  </Form>
                )}
              </div>
              {needs && <Command line={`apt-get install ${needs}`} what={t('command')} />}
              {id === 'container' && engine && <EngineText engine={engine} />}
            </li>
          );
        })}
      </ul>
    </Card>
  );
}
