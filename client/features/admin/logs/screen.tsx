import { Fragment } from 'react';
import type { ReactNode } from 'react';
import { useLoaderData } from 'react-router';
import type { ActionFunctionArgs, LoaderFunctionArgs } from 'react-router';
import { useActionAnswer } from '#client/lib/action-answer.ts';
import { apiOf } from '#client/lib/api-context.ts';
import { useErrorText } from '#client/lib/error-text.ts';
import { toFormFailure, type FormResult } from '#client/lib/form-action.ts';
import { useFormat, useT } from '#client/lib/i18n.tsx';
import { useShell } from '#client/lib/shell-context.ts';
import { Banner } from '#client/ui/banner.tsx';
import { Button } from '#client/ui/button.tsx';
import { Card } from '#client/ui/card.tsx';
import { CursorPager } from '#client/ui/cursor-pager.tsx';
import { EmptyState } from '#client/ui/empty-state.tsx';
import { Field } from '#client/ui/field.tsx';
import { Form } from '#client/ui/form.tsx';
import { LinkButton, TextLink } from '#client/ui/link-button.tsx';
import { Page, PageHead, useCrumbs } from '#client/ui/page.tsx';
import { Select } from '#client/ui/select.tsx';
import { Status, type StatusShape } from '#client/ui/status.tsx';
import { TextInput } from '#client/ui/text-input.tsx';
import { can } from '#shared/can.ts';
import type { LogLineView } from '#shared/contract/logs.ts';
import { LOG_LEVELS, LOG_PLACE, type LineLevel } from '#shared/logs.ts';
import { href } from '#shared/routes/staff-href.ts';
import { AuditEntries } from '../parts/audit-entries.tsx';
import { useTail } from './tail.ts';

const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;
const toLevel = (text: string | null): LineLevel => LOG_LEVELS.find((level) => level === text) ?? 'debug';

/** A page of lines; of one request also what it left in the audit log, for those who may see that. */
export async function loader(args: LoaderFunctionArgs) {
  const params = new URL(args.request.url).searchParams;
  const api = apiOf(args);
  const [q, level, request] = [params.get('q') ?? '', toLevel(params.get('level')), params.get('request') ?? ''];
  const before = LOG_PLACE.test(params.get('before') ?? '') ? (params.get('before') ?? '') : '';
  const wanted = UUID.test(request) ? request : null;
  const narrowed = { level, ...(q === '' ? {} : { q: q.slice(0, 100) }) };
  const query = {
    ...narrowed,
    ...(wanted === null ? {} : { request: wanted }),
    ...(before === '' ? {} : { before }),
  };
  const [listed, { permissions }] = await Promise.all([api.adminLogs.list({ query }), api.session.get()]);
  const audit =
    wanted !== null && can(permissions, 'admin.dashboard.components.activity.view')
      ? (await api.adminAudit.list({ query: { request: wanted } })).entries
      : null;
  return {
    ...listed,
    query: narrowed,
    q,
    shown: level,
    request: wanted,
    isFirst: before === '',
    audit,
    follows: params.has('follow'),
  };
}

/** Changes from which level on lines are written. */
export async function action(args: ActionFunctionArgs): Promise<FormResult<LineLevel>> {
  const form = await args.request.formData();
  const level = toLevel(String(form.get('level')));
  try {
    await apiOf(args).adminLogs.setLevel({ body: { level } });
    return { ok: true, result: level, at: level };
  } catch (error) {
    return toFormFailure(error, form);
  }
}

type Data = Awaited<ReturnType<typeof loader>>;

/** /mc-admin/logs */
export default function LogsScreen(): ReactNode {
  const t = useT('staffLogs');
  const data = useLoaderData<typeof loader>();
  const follows = data.follows && data.isFirst;
  const lines = useTail(data, follows);
  return (
    <Page>
      <PageHead
        title={data.request === null ? t('title') : t('requestTitle')}
        text={data.request === null ? t('text') : <code>{data.request}</code>}
        crumbs={useCrumbs()}
        actions={
          data.request === null ? (
            <LinkButton to={addressOf(data, { follow: !follows })} variant={follows ? 'secondary' : 'primary'}>
              {follows ? t('pause') : t('follow')}
            </LinkButton>
          ) : (
            <LinkButton to={href('admin.logs')}>{t('allLines')}</LinkButton>
          )
        }
      />
      <Answer />
      {data.audit !== null && data.audit.length > 0 && (
        <Card title={t('auditOfRequest')} flush>
          <AuditEntries entries={data.audit} />
        </Card>
      )}
      <Card flush>
        {data.request === null && <Filters data={data} />}
        {lines.length === 0 ? (
          <EmptyState as="h2" art="log" title={t('empty')} text={t('emptyText')} />
        ) : (
          <ol className="sp-log" aria-label={t('title')} {...(follows ? { 'aria-live': 'off' } : {})}>
            {lines.map((line, at) => (
              <Fragment key={line.id}>
                <Day at={line.at} above={lines[at - 1]?.at ?? null} />
                <Line line={line} linked={data.request === null} />
              </Fragment>
            ))}
          </ol>
        )}
      </Card>
      <CursorPager
        words="time"
        first={data.isFirst ? null : addressOf(data, {})}
        previous={null}
        next={data.older === null ? null : addressOf(data, { before: data.older })}
      />
      <LevelCard level={data.level} />
    </Page>
  );
}

/** The address of the same lines, followed, or before one of them. */
function addressOf(data: Data, { follow = false, before }: { follow?: boolean; before?: string }): string {
  const params = new URLSearchParams({
    ...(data.q === '' ? {} : { q: data.q }),
    ...(data.shown === 'debug' ? {} : { level: data.shown }),
    ...(data.request === null ? {} : { request: data.request }),
    ...(before === undefined ? {} : { before }),
    ...(follow ? { follow: '1' } : {}),
  });
  return `${href('admin.logs')}?${params.toString()}`;
}

function Filters({ data }: { data: Data }): ReactNode {
  const t = useT('staffLogs');
  return (
    <Form method="get" noSummary>
      <div className="sp-log-filters" data-bar>
        <Field name="q" label={t('search')}>
          <TextInput type="search" defaultValue={data.q} maxLength={100} />
        </Field>
        <Field name="level" label={t('from')}>
          <Select
            key={data.shown}
            defaultValue={data.shown}
            options={LOG_LEVELS.map((value) => ({ value, label: t(`level.${value}`) }))}
          />
        </Field>
        <Button type="submit" icon="search">
          {t('show')}
        </Button>
      </div>
    </Form>
  );
}

const SHAPES = { debug: 'off', info: 'active', warn: 'expiring', error: 'failed' } as const satisfies Record<
  LineLevel,
  StatusShape
>;

/** The day of a line where it is another one than that of the line above it; above the first where it is not today. */
function Day({ at, above }: { at: string; above: string | null }): ReactNode {
  const format = useFormat();
  const { now } = useShell();
  const day = format.date(at);
  return day === format.date(above ?? now) ? null : <li className="sp-log__day">{day}</li>;
}

function Line({ line, linked }: { line: LogLineView; linked: boolean }): ReactNode {
  const t = useT('staffLogs');
  const format = useFormat();
  const { level, event, details, request_id: request } = line;
  return (
    <li className="sp-log__line">
      <time dateTime={line.at} title={format.dateTime(line.at)}>
        {`${format.time(line.at)}:${line.at.slice(17, 19)}`}
      </time>
      <Status shape={SHAPES[level]}>{t(`level.${level}`)}</Status>
      <span className="sp-log__text">
        <b>{event}</b> {details}{' '}
        {linked && request !== null && (
          <TextLink to={`${href('admin.logs')}?request=${request}`}>{t('request')}</TextLink>
        )}
      </span>
    </li>
  );
}

function Answer(): ReactNode {
  const t = useT('staffLogs');
  const text = useErrorText();
  const answer = useActionAnswer<FormResult<LineLevel>>();
  if (!answer) return null;
  return (
    <Banner tone={answer.ok ? 'positive' : 'danger'} live>
      {answer.ok ? t('levelChanged', { level: t(`level.${answer.result}`) }) : text.code(answer.code)}
    </Banner>
  );
}

/** From which level on lines are written; staff who change settings change it here. */
function LevelCard({ level }: { level: Data['level'] }): ReactNode {
  const t = useT('staffLogs');
  const { permissions } = useShell().session;
  if (!can(permissions, 'admin.settings.edit')) return null;
  return (
    <Card title={t('levelTitle')} text={t('levelText')}>
      <Form noSummary preventScrollReset>
        <div className="sp-log-filters">
          <Field name="level" label={t('from')}>
            <Select
              key={level}
              defaultValue={level}
              options={LOG_LEVELS.map((value) => ({ value, label: t(`level.${value}`) }))}
            />
          </Field>
          <Button type="submit">{t('change')}</Button>
        </div>
      </Form>
    </Card>
  );
}
