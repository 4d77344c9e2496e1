import type { ReactNode } from 'react';
import { useFormat, useT } from '#client/lib/i18n.tsx';
import { Banner } from '#client/ui/banner.tsx';
import { Button } from '#client/ui/button.tsx';
import { Card, Facts } from '#client/ui/card.tsx';
import { DataTable } from '#client/ui/data-table.tsx';
import { EmptyState } from '#client/ui/empty-state.tsx';
import { Field } from '#client/ui/field.tsx';
import { Form } from '#client/ui/form.tsx';
import { LinkButton } from '#client/ui/link-button.tsx';
import { Page, PageHead, useCrumbs } from '#client/ui/page.tsx';
import { PasswordInput } from '#client/ui/password-input.tsx';
import { Status } from '#client/ui/status.tsx';
import type { ImportDetailsView, ImportNoteView, ImportsPage } from '#shared/contract/imports.ts';
import { IMPORT_KINDS, IMPORT_PRODUCT_NAMES, SEALED_PRODUCTS } from '#shared/imports.ts';
import { href } from '#shared/routes/staff-href.ts';
import { Messages } from './messages.tsx';
import { RoleChoices, DecidedRoles } from './roles.tsx';
import { Remarks, Rows } from './rows.tsx';
import { stateShape } from './texts.ts';

interface Props {
  readonly page: ImportsPage;
  readonly details: ImportDetailsView;
  /** What was said of rows, where the address asks for it. */
  readonly rows: { readonly notes: readonly ImportNoteView[]; readonly next: number | null } | null;
  readonly query: URLSearchParams;
}

/** The page of one import: what comes or came, what does not and why, and what can be done with it. */
export function ImportDetails({ page, details, rows, query }: Props): ReactNode {
  const t = useT('imports');
  const format = useFormat();
  const { run, kept } = details;
  return (
    <Page>
      <PageHead
        title={`${IMPORT_PRODUCT_NAMES[run.product]}${run.instance === 'main' ? '' : ` · ${run.instance}`}`}
        text={format.dateTime(run.created_at)}
        badge={<Status shape={stateShape(run.state)}>{t(`state.${run.state}`)}</Status>}
        crumbs={useCrumbs()}
        actions={<LinkButton to={href('admin.imports')}>{t('back')}</LinkButton>}
      />
      <Messages page={page} runId={run.id} />
      {page.running === null && (run.fault === 'undo_stopped' || run.fault === 'some_stayed') && (
        <Banner tone="warning">{t(`faultDo.${run.fault}`)}</Banner>
      )}
      {query.get('ask') === 'undo' && canUndo(details) && <UndoQuestion details={details} />}
      {rows ? (
        <Rows details={details} rows={rows} query={query} />
      ) : (
        <div className="sp-imports">
          <div className="sp-stack">
            <Outcome details={details} />
            <Remarks details={details} />
            {!kept && <p className="sp-muted">{t('gone')}</p>}
          </div>
          <div className="sp-stack">
            {page.running === null && query.get('ask') === null && <Actions details={details} />}
            {details.decided !== null && details.roles.length > 0 && <DecidedRoles details={details} />}
            <Credits details={details} />
            <Reading details={details} />
          </div>
        </div>
      )}
    </Page>
  );
}

const canUndo = ({ run: { state } }: ImportDetailsView): boolean =>
  state === 'done' || state === 'failed' || state === 'running';
const pageOf = (id: string, rest = '') => `${href('admin.imports')}?run=${id}${rest}`;

/** What comes or came, by kind. */
function Outcome({ details: { run, summary } }: { details: ImportDetailsView }): ReactNode {
  const t = useT('imports');
  const format = useFormat();
  const isOver = run.state === 'done' || run.state === 'undone';
  const rows = IMPORT_KINDS.map((kind) => ({ kind, ...summary.kinds[kind] })).filter(
    ({ ready, already, left, done }) => ready + already + left + done > 0,
  );
  const title = t(run.state === 'checked' ? 'result' : 'resultDone');
  type Row = (typeof rows)[number];
  const number = (key: 'ready' | 'already' | 'left' | 'done', label: string) => ({
    key,
    label,
    align: 'end' as const,
    phone: 'labelled' as const,
    cell: (row: Row) => format.number(row[key]),
  });
  return (
    <Card title={title} flush>
      <DataTable
        phone="lines"
        caption={title}
        columns={[
          { key: 'kind', label: t('what'), title: true, cell: ({ kind }: Row) => t(`kind.${kind}`) },
          ...(isOver ? [] : [number('ready', t('coming'))]),
          ...(run.state === 'checked' ? [] : [number('done', t('came'))]),
          number('already', t('cameBefore')),
          number('left', t('left')),
        ]}
        rows={rows}
        rowKey={({ kind }) => kind}
        rowName={({ kind }) => t(`kind.${kind}`)}
        state={<EmptyState as="h3" art="check" title={t('remarksNone')} />}
      />
    </Card>
  );
}

/** The sums: every credit of the source is in one of them. */
function Credits({ details: { summary } }: { details: ImportDetailsView }): ReactNode {
  const t = useT('imports');
  const format = useFormat();
  const { credits } = summary;
  const sums = (['coming', 'already', 'cut', 'left', 'found', 'negative'] as const).filter(
    (name) => name === 'found' || name === 'coming' || Number(credits[name]) !== 0,
  );
  return (
    <Card title={t('credits')} text={t('creditsText')}>
      <Facts items={sums.map((name) => ({ label: t(`sum.${name}`), value: format.number(Number(credits[name])) }))} />
    </Card>
  );
}

/** How readable the source was. */
function Reading({ details: { summary } }: { details: ImportDetailsView }): ReactNode {
  const t = useT('imports');
  const format = useFormat();
  const faults = (['broken', 'latin1', 'mended'] as const).filter((name) => (summary.read[name] ?? 0) > 0);
  return (
    <Card title={t('source')}>
      {faults.length === 0 ? (
        <p className="sp-muted">{t('fine')}</p>
      ) : (
        <Facts items={faults.map((name) => ({ label: t(name), value: format.number(summary.read[name] ?? 0) }))} />
      )}
    </Card>
  );
}

/** What can be done with a run in its state. */
function Actions({ details }: { details: ImportDetailsView }): ReactNode {
  const t = useT('imports');
  const { run, kept } = details;
  const isOpen = run.state === 'checked' || run.state === 'failed' || run.state === 'running';
  if (run.state === 'undone') return null;
  return (
    <Card>
      {isOpen && kept && <Apply details={details} />}
      {run.state === 'checked' && (
        <>
          <div className="sp-imports__row">
            <p>{t('againText')}</p>
            <LinkButton to={`${href('admin.imports')}?source=${run.product}&again=${run.id}`}>{t('again')}</LinkButton>
          </div>
          <div className="sp-imports__row">
            <p>{t('discardText')}</p>
            <Form noSummary>
              <input type="hidden" name="id" value={run.id} />
              <Button type="submit" name="_intent" value="remove" variant="danger-quiet">
                {t('discard')}
              </Button>
            </Form>
          </div>
        </>
      )}
      {canUndo(details) && (
        <div className="sp-imports__row">
          <p>{t('undoText')}</p>
          <LinkButton to={pageOf(run.id, '&ask=undo')} variant="danger-quiet">
            {t('undo')}
          </LinkButton>
        </div>
      )}
    </Card>
  );
}

function Apply({ details }: { details: ImportDetailsView }): ReactNode {
  const t = useT('imports');
  const { run } = details;
  const isNew = run.state === 'checked';
  return (
    <Form noSummary>
      <input type="hidden" name="id" value={run.id} />
      <div className="sp-stack" data-gap="3">
        <p className="sp-muted">{t(isNew ? 'applyText' : 'resumeText')}</p>
        {details.decided === null && details.roles.length > 0 && <RoleChoices details={details} />}
        {SEALED_PRODUCTS.includes(run.product) && (
          <Field label={t('key')} name="key" hint={t('keyAgain')} optional>
            <PasswordInput autoComplete="off" maxLength={500} />
          </Field>
        )}
        <div className="sp-btn-row">
          <Button type="submit" name="_intent" value="apply" variant="primary">
            {t(isNew ? 'apply' : 'resume')}
          </Button>
        </div>
      </div>
    </Form>
  );
}

/** What undoing does, and what it leaves. */
function UndoQuestion({ details: { run, summary, choices } }: { details: ImportDetailsView }): ReactNode {
  const t = useT('imports');
  return (
    <Card tone="danger" title={t('undoAsk')}>
      <ul className="sp-imports__steps">
        <li>{t('undoText')}</li>
        {summary.kinds.server.done > 0 && <li>{t('undoServers')}</li>}
        <li>{t('undoPanel')}</li>
        {choices.settings && <li>{t('undoSettings')}</li>}
      </ul>
      <Form noSummary>
        <input type="hidden" name="id" value={run.id} />
        <div className="sp-btn-row">
          <Button type="submit" name="_intent" value="undo" variant="danger">
            {t('undo')}
          </Button>
          <LinkButton to={pageOf(run.id)} variant="ghost">
            {t('cancel')}
          </LinkButton>
        </div>
      </Form>
    </Card>
  );
}
