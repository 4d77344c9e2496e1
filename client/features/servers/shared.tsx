import { lazy, Suspense } from 'react';
import type { ReactNode } from 'react';
import { redirect, useLoaderData } from 'react-router';
import type { ActionFunctionArgs, LoaderFunctionArgs } from 'react-router';
import { useActionAnswer } from '#client/lib/action-answer.ts';
import { apiOf } from '#client/lib/api-context.ts';
import { submitForm } from '#client/lib/form-action.ts';
import type { FormResult } from '#client/lib/form-action.ts';
import { useFormProps } from '#client/lib/form-props.ts';
import { Rich, useFormat, useT } from '#client/lib/i18n.tsx';
import { useLive } from '#client/lib/live.ts';
import { useShell } from '#client/lib/shell-context.ts';
import { useNow } from '#client/lib/use-now.ts';
import { useRefresh } from '#client/lib/use-refresh.ts';
import { Banner } from '#client/ui/banner.tsx';
import { Button } from '#client/ui/button.tsx';
import { Card, Facts } from '#client/ui/card.tsx';
import { ConfirmButton } from '#client/ui/confirm-button.tsx';
import { CopyButton } from '#client/ui/copy-button.tsx';
import { Form } from '#client/ui/form.tsx';
import { List, ListItem } from '#client/ui/list.tsx';
import { Breadcrumb, Page, useCrumbs } from '#client/ui/page.tsx';
import { Status } from '#client/ui/status.tsx';
import { ApiError } from '#shared/contract/client.ts';
import type { SharedServerView } from '#shared/contract/server-views.ts';
import { href } from '#shared/routes/href.ts';
import { confirmedInput, powerInput, primaryPortInput } from '#shared/schemas/server.ts';
import { startupInput } from '#shared/schemas/subuser.ts';
import type { SubuserRight } from '#shared/subusers.ts';
import { ActivityCard } from './activity-card.tsx';
import { LiveCard } from './live-card.tsx';
import { BOLD, EggBlock, SERVER_KINDS, amountText } from './parts.tsx';
import { PortsCard } from './ports-card.tsx';
import { useRightNames } from './rights-fields.tsx';
import { statusOf } from './server-text.ts';
import { VariableField } from './variable-field.tsx';

const ServerFiles = lazy(async () => ({ default: (await import('./files.tsx')).ServerFiles }));
const ServerBackups = lazy(async () => ({ default: (await import('./backups.tsx')).ServerBackups }));
const UsageCard = lazy(async () => ({ default: (await import('./usage-card.tsx')).UsageCard }));
const StaffBar = lazy(async () => ({ default: (await import('./staff-bar.tsx')).StaffBar }));
const Console = lazy(async () => ({ default: (await import('./console.tsx')).Console }));

/** A server of somebody else that the visitor works on, or opened as staff. */
export async function loader(args: LoaderFunctionArgs) {
  return apiOf(args).subusers.get({ params: { id: args.params.id ?? '' } });
}
type Data = Awaited<ReturnType<typeof loader>>;

interface Answer {
  readonly intent: 'power' | 'startup' | 'primaryPort';
}

/** The page's small forms, distinguished by `_intent`: power, startup settings, primary port, leaving. */
export async function action(args: ActionFunctionArgs) {
  const api = apiOf(args);
  const params = { id: args.params.id ?? '' };
  const intent = (await args.request.clone().formData()).get('_intent');
  switch (intent) {
    case 'power':
      return submitForm(args.request, powerInput, async (body): Promise<Answer> => {
        await api.servers.power({ params, body });
        return { intent };
      });
    case 'startup':
      return submitForm(args.request, startupInput, async (body): Promise<Answer> => {
        await api.servers.updateVariables({ params, body });
        return { intent };
      });
    case 'primaryPort':
      return submitForm(args.request, primaryPortInput, async (body): Promise<Answer> => {
        await api.servers.setPrimaryPort({ params, body });
        return { intent };
      });
    case 'leave':
      return submitForm(args.request, confirmedInput, async () => {
        await api.subusers.leave({ params });
        return redirect(href('dashboard'));
      });
    default:
      throw new ApiError('BAD_REQUEST', 400);
  }
}

/** The document's title begins with it. */
export const pageName = ({ server }: Data): string => server.name;

const STAFF_REFRESH_MS = 10_000;

/** /server/:id/shared */
export default function SharedServerScreen(): ReactNode {
  const t = useT('sharing');
  const { server, as_staff: asStaff, activity, ports, variables } = useLoaderData<typeof loader>();
  const answer = useActionAnswer<FormResult<Answer>>();
  const { session } = useShell();
  useLive(['servers']);
  // What is published of a server is for its owner and those who work on it.
  useRefresh(STAFF_REFRESH_MS, asStaff);
  const { id, name, owner, rights, state } = server;
  const may = (right: SubuserRight): boolean => rights.includes(right);
  // The page between is the owner's.
  const crumbs = useCrumbs({ 'server.shared': name }).filter(({ to }) => to !== href('server.view', { id }));
  const failed = answer?.ok === false;
  const choosing = failed && 'port' in answer.values;
  const isStartup = failed && Object.keys(answer.values).some((field) => field.startsWith('variables.'));
  return (
    <Page>
      <div className="sp-on-canvas">
        <Breadcrumb items={crumbs} />
      </div>
      {asStaff && (
        <Suspense fallback={null}>
          <StaffBar server={server} />
        </Suspense>
      )}
      <Head server={server} asStaff={asStaff} answer={failed && !isStartup && !choosing ? answer : undefined} />
      {state !== 'active' && (
        <Banner tone="warning">
          <Rich t={t} k={state === 'suspended' ? 'halted' : 'notReady'} tags={BOLD} vars={{ name: owner }} />
        </Banner>
      )}
      <div className="sp-split">
        <div className="sp-stack">
          {state === 'active' && <LiveCard server={server} mayPower={may('power')} />}
          {state === 'active' && session.viewing === undefined && (
            <Suspense fallback={null}>
              {may('readConsole') && <Console server={server} maySend={may('sendCommands')} />}
              {may('readFiles') && <ServerFiles server={server} mayWrite={may('writeFiles')} />}
              {may('backups') && <ServerBackups server={server} />}
            </Suspense>
          )}
          {state === 'active' && may('readConsole') && (
            <Suspense fallback={null}>
              <UsageCard server={server} />
            </Suspense>
          )}
          <ActivityCard activity={activity} />
        </div>
        <div className="sp-stack">
          <RightsCard server={server} />
          <PortsCard
            ports={ports}
            bought={server.resources.ports}
            mayChoose={state === 'active' && may('startup') && session.viewing === undefined}
            answer={choosing || answer?.ok ? answer : undefined}
          />
          {state === 'active' && variables.length > 0 && (
            <StartupCard server={server} variables={variables} answer={isStartup || answer?.ok ? answer : undefined} />
          )}
        </div>
      </div>
      {!asStaff && (
        <Card title={t('leave')} flush>
          <List>
            <ListItem
              icon="log-out"
              title={t('leaveRow')}
              text={t('leaveText', { name: owner })}
              end={<LeaveForm key={id} name={name} owner={owner} />}
            />
          </List>
        </Card>
      )}
    </Page>
  );
}

interface HeadProps {
  readonly server: SharedServerView;
  readonly asStaff: boolean;
  readonly answer: FormResult<unknown> | undefined;
}

function Head({ server, asStaff, answer }: HeadProps): ReactNode {
  const t = useT('sharing');
  const words = useT('servers');
  const nowMs = useNow();
  const { problem } = useFormProps(answer);
  const { shape, label } = statusOf({ state: server.state, expires_at: null }, nowMs, words);
  const facts = [t(asStaff ? 'serverOf' : 'sharedBy', { name: server.owner }), server.egg.name, server.location.name];
  return (
    <div className="sp-card sp-srv">
      <EggBlock egg={server.egg} size="xl" off={server.state !== 'active'} />
      <div className="sp-srv__text">
        <div className="sp-srv__name">
          <h1>{server.name}</h1>
          <output>
            <Status shape={shape}>{label}</Status>
          </output>
        </div>
        <p>{facts.filter(Boolean).join(' · ')}</p>
        {server.description !== '' && <p className="sp-srv__desc">{server.description}</p>}
        {server.address !== null && (
          <CopyButton text={server.address} what={words('addressOf', { name: server.name })} />
        )}
      </div>
      {problem && (
        <div className="sp-srv__more">
          <Banner tone="danger" live>
            {problem}
          </Banner>
        </div>
      )}
    </div>
  );
}

/** What the visitor may do here, and what the server has. */
function RightsCard({ server }: { server: SharedServerView }): ReactNode {
  const t = useT('sharing');
  const words = useT('servers');
  const format = useFormat();
  const names = useRightNames();
  const items = [
    { label: t('yours'), value: names(server.rights) },
    ...SERVER_KINDS.map((kind) => ({
      label: words(`kind.${kind}`),
      value: amountText(kind, server.resources[kind], format),
    })),
  ];
  return (
    <Card title={words('resources')}>
      <Facts items={items} />
    </Card>
  );
}

interface StartupProps {
  readonly server: SharedServerView;
  readonly variables: Data['variables'];
  readonly answer: FormResult<Answer> | undefined;
}

function StartupCard({ server, variables, answer }: StartupProps): ReactNode {
  const t = useT('sharing');
  const live = useT('live');
  const field = (env: string): string => `variables.${env}`;
  const shown = useFormProps(
    answer?.ok === false ? answer : undefined,
    variables.map(({ env }) => field(env)),
  );
  const labels = Object.fromEntries(variables.map(({ env, name }) => [field(env), name]));
  return (
    <Card title={live('variables', { software: server.egg.name })} text={live('variablesNote')}>
      {answer?.ok && answer.result.intent === 'startup' && (
        <Banner tone="positive" live>
          {t('startupSaved')}
        </Banner>
      )}
      <Form {...shown} labels={labels} noValidate preventScrollReset>
        <input type="hidden" name="_intent" value="startup" />
        {variables.map((variable) => (
          <VariableField key={variable.env} name={field(variable.env)} variable={variable} value={variable.value} />
        ))}
        <Button type="submit" size="sm">
          {t('startupSave')}
        </Button>
      </Form>
    </Card>
  );
}

function LeaveForm({ name, owner }: { name: string; owner: string }): ReactNode {
  const t = useT('sharing');
  return (
    <Form noSummary>
      <input type="hidden" name="_intent" value="leave" />
      <ConfirmButton
        ask={{
          title: t('leaveAsk', { server: name }),
          text: t('leaveText', { name: owner }),
          ok: t('leave'),
          tone: 'danger',
        }}
        sure={t('leaveSure')}
        variant="danger-quiet"
        icon="log-out"
      >
        {t('leave')}
      </ConfirmButton>
    </Form>
  );
}
