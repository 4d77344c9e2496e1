import type { ReactNode } from 'react';
import { useLoaderData } from 'react-router';
import type { ActionFunctionArgs, LoaderFunctionArgs } from 'react-router';
import { useActionAnswer } from '#client/lib/action-answer.ts';
import { apiOf } from '#client/lib/api-context.ts';
import { useErrorText } from '#client/lib/error-text.ts';
import { useFormat, useT } from '#client/lib/i18n.tsx';
import { useShell } from '#client/lib/shell-context.ts';
import { useRefresh } from '#client/lib/use-refresh.ts';
import { Banner } from '#client/ui/banner.tsx';
import { Button } from '#client/ui/button.tsx';
import { Card } from '#client/ui/card.tsx';
import { ConfirmButton } from '#client/ui/confirm-button.tsx';
import { Form } from '#client/ui/form.tsx';
import { LinkButton } from '#client/ui/link-button.tsx';
import { Page, PageHead, useCrumbs } from '#client/ui/page.tsx';
import { can } from '#shared/can.ts';
import type { MachineView } from '#shared/contract/machine.ts';
import { href } from '#shared/routes/staff-href.ts';
import { changeMachine } from './action.ts';
import { GradeCard } from './grade-card.tsx';
import { Command } from './command.tsx';
import { FirewallCard, RecipesCard, CapacityCard } from './capacity.tsx';
import { ServersCard } from './servers-card.tsx';

/** The machine as it is now. */
export const loader = (args: LoaderFunctionArgs) => apiOf(args).adminMachine.get({});

/** Stops or starts all servers, accepts a weak part, or turns a kind of server on or off. */
export async function action(args: ActionFunctionArgs) {
  return changeMachine(apiOf(args), await args.request.formData());
}

const REFRESH_MS = 15_000;

/** /mc-admin/machine */
export default function MachineScreen(): ReactNode {
  const t = useT('machine');
  const data = useLoaderData<typeof loader>();
  const { machine } = data;
  const mayEdit = can(useShell().session.permissions, 'admin.settings.edit');
  useRefresh(REFRESH_MS, true);
  return (
    <Page>
      <PageHead
        title={t('title')}
        text={machine ? <About machine={machine} /> : t('text')}
        crumbs={useCrumbs()}
        actions={
          <>
            {machine && mayEdit && <Maintenance isOn={machine.maintenance} />}
            <Form noSummary preventScrollReset>
              <Button type="submit" name="_intent" value="check" icon="refresh">
                {t('checkAgain')}
              </Button>
            </Form>
          </>
        }
      />
      <Answer />
      {data.state === 'simulated' && <Simulated data={data} />}
      {data.state === 'absent' && <Absent />}
      {machine && (
        <>
          {machine.maintenance && <Banner tone="warning">{t('maintenanceOn')}</Banner>}
          {machine.disk.free < machine.reserve && <Banner tone="danger">{t('belowReserve')}</Banner>}
          <GradeCard machine={machine} mayEdit={mayEdit} />
          <div className="sp-machine">
            <div className="sp-machine__main">
              <ServersCard servers={data.servers} count={data.sold.servers} />
              <RecipesCard recipes={data.recipes} engine={data.engine} mayEdit={mayEdit} />
            </div>
            <div className="sp-machine__side">
              <CapacityCard data={data} machine={machine} mayEdit={mayEdit} />
              <FirewallCard ports={data.ports} />
              <Card title={t('folder')} text={t('folderText')}>
                <Command line={machine.folder} what={t('folder')} />
              </Card>
            </div>
          </div>
        </>
      )}
      <Card
        title={t('several')}
        text={t('severalText')}
        aside={
          <LinkButton to={href('admin.panels.list')} size="sm" icon="plug">
            {t('connectPanel')}
          </LinkButton>
        }
      />
    </Page>
  );
}

/** `Debian 12 · Linux 6.1 · AMD EPYC, 8 cores · up 41 d` */
function About({ machine }: { machine: NonNullable<MachineView['machine']> }): ReactNode {
  const t = useT('machine');
  const format = useFormat();
  const cores = t('cores', { count: machine.cores });
  return [
    machine.system,
    `Linux ${machine.kernel}`,
    machine.processor === '' ? cores : `${machine.processor}, ${cores}`,
    t('up', { time: format.duration(machine.uptime_ms) }),
  ].join(' · ');
}

function Maintenance({ isOn }: { isOn: boolean }): ReactNode {
  const t = useT('machine');
  return (
    <Form noSummary preventScrollReset>
      <input type="hidden" name="_intent" value={isOn ? 'start' : 'stop'} />
      {isOn ? (
        <Button type="submit" variant="primary" icon="play">
          {t('startAll')}
        </Button>
      ) : (
        <ConfirmButton
          variant="danger-quiet"
          icon="power"
          sure={t('stopAllAsk')}
          ask={{ title: t('stopAllAsk'), text: t('stopAllText'), ok: t('stopAll'), tone: 'danger' }}
        >
          {t('stopAll')}
        </ConfirmButton>
      )}
    </Form>
  );
}

/** The answer to the last command. */
function Answer(): ReactNode {
  const t = useT('machine');
  const error = useErrorText();
  const answer = useActionAnswer<Awaited<ReturnType<typeof action>>>();
  if (!answer) return null;
  if (!answer.ok)
    return (
      <Banner tone="danger" live>
        {error.code(answer.code)}
      </Banner>
    );
  return answer.done === null ? null : <Banner live>{t(`done.${answer.done}`)}</Banner>;
}

/** Servers are imitated: what to do so that they run. */
function Simulated({ data }: { data: MachineView }): ReactNode {
  const t = useT('machine');
  const lacks = data.lacks.filter((lack) => lack !== 'root');
  const isFit = lacks.length === 0;
  return (
    <Card title={t('simulated')} text={isFit ? t('simulatedFit') : t('simulatedText')}>
      {isFit ? (
        <>
          <Command line="RUNTIME=auto spawnpoint serve" what={t('command')} />
          <Command line="spawnpoint node" what={t('command')} />
        </>
      ) : (
        <ul className="sp-machine__parts">
          {lacks.map((lack) => (
            <li key={lack}>
              <p>
                {lack === 'linux' || lack === 'groups' || lack === 'tools' || lack === 'network'
                  ? t(`lack.${lack}`)
                  : t('lack.sandbox')}
              </p>
              {lack === 'tools' && <Command line={`apt-get install ${packagesOf(data.missing)}`} what={t('command')} />}
            </li>
          ))}
        </ul>
      )}
    </Card>
  );
}

/** Packages of Debian and Ubuntu that have programs which are not installed. */
function packagesOf(missing: readonly string[]): string {
  const packages = missing.map((name) => (name === 'nft' ? 'nftables' : name === 'ip' ? 'iproute2' : 'util-linux'));
  return [...new Set(packages)].join(' ');
}

function Absent(): ReactNode {
  const t = useT('machine');
  return (
    <Card title={t('absent')} text={t('absentText')} tone="danger">
      <Command line="systemctl start spawnpoint-node" what={t('command')} />
      <Command line="spawnpoint node" what={t('command')} />
    </Card>
  );
}
