import type { ReactNode } from 'react';
import { redirect, useActionData, useLoaderData, useLocation } from 'react-router';
import type { ActionFunctionArgs, LoaderFunctionArgs } from 'react-router';
import { apiOf } from '#client/lib/api-context.ts';
import { toFormFailure, type FormFailure } from '#client/lib/form-action.ts';
import { FormKey } from '#client/lib/form-key.ts';
import { useFormProps } from '#client/lib/form-props.ts';
import { useFormat, useT } from '#client/lib/i18n.tsx';
import { useShell } from '#client/lib/shell-context.ts';
import { Banner } from '#client/ui/banner.tsx';
import { Button } from '#client/ui/button.tsx';
import { Card } from '#client/ui/card.tsx';
import { Checkbox } from '#client/ui/choice.tsx';
import { CursorPager } from '#client/ui/cursor-pager.tsx';
import { DataTable, type Column } from '#client/ui/data-table.tsx';
import { EmptyState } from '#client/ui/empty-state.tsx';
import { Form } from '#client/ui/form.tsx';
import { LinkButton } from '#client/ui/link-button.tsx';
import { Page, PageHead, useCrumbs } from '#client/ui/page.tsx';
import type { SettingHistoryEntry } from '#shared/contract/settings.ts';
import { PAST_CURSOR } from '#shared/past-cursor.ts';
import { href } from '#shared/routes/staff-href.ts';
import { isSettingKey, type SettingKey } from '#shared/settings.ts';
import { differenceOfTexts } from './difference.ts';
import { ChangeItem, Diff } from './diff.tsx';
import { rowOf } from './form.ts';
import { useSettingTexts, type SettingTexts } from './texts.ts';

const UUID = /^[0-9a-f-]{36}$/;

/** A page of changes, and the one that is about to be undone. */
export async function loader(args: LoaderFunctionArgs) {
  const params = new URL(args.request.url).searchParams;
  const api = apiOf(args).adminSettings;
  const [key, before, undo] = [params.get('key') ?? '', params.get('before') ?? '', params.get('undo') ?? ''];
  const query = { ...(isSettingKey(key) ? { key } : {}), ...(PAST_CURSOR.test(before) ? { before } : {}) };
  const [listed, change] = await Promise.all([
    api.history({ query }),
    UUID.test(undo) ? api.change({ params: { id: undo } }) : null,
  ]);
  return { ...listed, change, key: isSettingKey(key) ? key : null, isFirst: query.before === undefined };
}
type Data = Awaited<ReturnType<typeof loader>>;
type Row = SettingHistoryEntry & { readonly key: SettingKey };

/** Restores what a setting was before a change. */
export async function action(args: ActionFunctionArgs): Promise<FormFailure | Response> {
  const form = await args.request.formData();
  const key = String(form.get('_key') ?? '');
  const body = { revision: Number(form.get('revision')), confirmed: form.get('confirmed') === 'on' };
  try {
    const params = { id: String(form.get('entry') ?? '') };
    await apiOf(args).adminSettings.undo({ params, body }, key === '' ? {} : { key });
    return redirect(`${href('admin.settings.history')}?done=undo`);
  } catch (error) {
    return toFormFailure(error, form);
  }
}

/** /mc-admin/settings/history: who changed which setting when (behaviour 8.4) */
export default function SettingHistoryScreen(): ReactNode {
  const t = useT('staffSettings');
  const data = useLoaderData<typeof loader>();
  const texts = useSettingTexts(String(useShell().settings.currency ?? ''));
  const rows = data.entries.filter((entry): entry is Row => isSettingKey(entry.key));
  const change = data.change && isSettingKey(data.change.entry.key) ? data.change : null;
  return (
    <Page>
      <PageHead
        title={data.key === null ? t('historyTitle') : texts.label(data.key)}
        text={t('historyText')}
        crumbs={useCrumbs()}
        actions={
          <LinkButton to={href('admin.settings')} variant="ghost" icon="sliders">
            {t('byGroup')}
          </LinkButton>
        }
      />
      <Outcome />
      {change && <UndoCard change={change} texts={texts} />}
      <Card flush>
        <DataTable
          caption={t('historyTitle')}
          rows={rows}
          rowKey={({ id }) => id}
          rowName={({ key }) => texts.label(key)}
          columns={useColumns(texts)}
          state={<EmptyState art="history" title={t('historyEmpty')} text={t('historyEmptyText')} />}
        />
      </Card>
      <CursorPager
        words="time"
        first={data.isFirst ? null : addressOf(data.key, null)}
        previous={null}
        next={data.older === null ? null : addressOf(data.key, data.older)}
      />
    </Page>
  );
}

/** The address of a page of the history, of one setting or of all. */
function addressOf(key: string | null, before: string | null): string {
  const params = new URLSearchParams({ ...(key ? { key } : {}), ...(before ? { before } : {}) });
  return `${href('admin.settings.history')}?${params.toString()}`;
}

/** What the visitor came back from. */
function Outcome(): ReactNode {
  const t = useT('staffSettings');
  const isDone = new URLSearchParams(useLocation().search).get('done') === 'undo';
  return isDone ? (
    <Banner tone="positive" live>
      {t('undone')}
    </Banner>
  ) : null;
}

function useColumns(texts: SettingTexts): readonly Column<Row>[] {
  const t = useT('staffSettings');
  const format = useFormat();
  return [
    {
      key: 'setting',
      label: t('columnSetting'),
      title: true,
      wrap: true,
      cell: ({ key }) => (
        <span className="sp-set-name">
          {texts.label(key)}
          <code>{key}</code>
        </span>
      ),
    },
    {
      key: 'change',
      label: t('columnChange'),
      wrap: true,
      cell: ({ key, before, after }) => (
        <Diff before={texts.pastText(key, before)} after={texts.pastText(key, after)} />
      ),
    },
    { key: 'actor', label: t('columnActor'), cell: ({ actor }) => actor ?? t('commandLine') },
    { key: 'at', label: t('columnAt'), cell: ({ at }) => <time dateTime={at}>{format.dateTime(at)}</time> },
    {
      key: 'undo',
      label: t('undo'),
      align: 'end',
      cell: ({ id, key, can_undo: canUndo }) =>
        canUndo ? (
          <LinkButton
            to={`${href('admin.settings.history')}?undo=${id}`}
            size="sm"
            variant="ghost"
            icon="undo"
            aria-label={t('undoWhat', { label: texts.label(key) })}
          >
            {t('undo')}
          </LinkButton>
        ) : null,
    },
  ];
}

/** What undoing a change would do, and the button that does it. */
function UndoCard({ change, texts }: { change: NonNullable<Data['change']>; texts: SettingTexts }): ReactNode {
  const t = useT('staffSettings');
  const failure = useActionData<FormFailure>();
  const { entry, current, revision, affected } = change;
  const key = entry.key as SettingKey;
  const { errors, problem, ...answer } = useFormProps(failure);
  const labels = Object.fromEntries(
    Object.keys(errors)
      .filter(isSettingKey)
      .map((each) => [each, texts.label(each)]),
  );
  return (
    <Form {...answer} errors={errors} problem={problem} labels={labels}>
      <Card
        title={t('undoTitle')}
        text={t('undoText')}
        foot={
          <>
            <LinkButton to={href('admin.settings.history')} variant="ghost">
              {t('keep')}
            </LinkButton>
            <Button type="submit" variant="primary">
              {t('undo')}
            </Button>
          </>
        }
      >
        <FormKey />
        <input type="hidden" name="entry" value={entry.id} />
        <input type="hidden" name="revision" value={revision} />
        <ul className="sp-set-changes">
          <ChangeItem
            settingKey={key}
            before={texts.pastText(key, current)}
            after={texts.pastText(key, entry.before)}
            lines={differenceOfTexts(key, current.value, entry.before.value)}
            affected={affected}
            texts={texts}
          />
        </ul>
        {rowOf(key).asks && <Checkbox name="confirmed">{t('confirm')}</Checkbox>}
      </Card>
    </Form>
  );
}
