import type { ReactNode } from 'react';
import { useLoaderData } from 'react-router';
import type { LoaderFunctionArgs } from 'react-router';
import { apiOf } from '#client/lib/api-context.ts';
import { useT } from '#client/lib/i18n.tsx';
import { Button } from '#client/ui/button.tsx';
import { Card } from '#client/ui/card.tsx';
import { CursorPager } from '#client/ui/cursor-pager.tsx';
import { EmptyState } from '#client/ui/empty-state.tsx';
import { Field } from '#client/ui/field.tsx';
import { Form } from '#client/ui/form.tsx';
import { LinkButton } from '#client/ui/link-button.tsx';
import { Page, PageHead, useCrumbs } from '#client/ui/page.tsx';
import { Select } from '#client/ui/select.tsx';
import { TextInput } from '#client/ui/text-input.tsx';
import { PAST_CURSOR } from '#shared/past-cursor.ts';
import { href } from '#shared/routes/staff-href.ts';
import { AuditEntries } from '../parts/audit-entries.tsx';

/** Spans that can be chosen, in days. */
const SPANS = ['1', '7', '30', '365'] as const;

/** A page of entries, the newest first. */
export async function loader(args: LoaderFunctionArgs) {
  const params = new URL(args.request.url).searchParams;
  const [q, actor] = [(params.get('q') ?? '').slice(0, 100), (params.get('actor') ?? '').slice(0, 40)];
  const days = SPANS.find((span) => span === params.get('days')) ?? '';
  const before = params.get('before') ?? '';
  const chosen = {
    ...(q === '' ? {} : { q }),
    ...(actor === '' ? {} : { actor }),
    ...(days === '' ? {} : { days }),
  };
  const isFirst = !PAST_CURSOR.test(before);
  const query = { ...chosen, ...(isFirst ? {} : { before }) };
  return { ...(await apiOf(args).adminAudit.list({ query })), q, actor, days, isFirst, chosen };
}

/** /mc-admin/audit: what staff changed, by whom and when */
export default function AuditScreen(): ReactNode {
  const t = useT('staffLogs');
  const data = useLoaderData<typeof loader>();
  const search = (more: Readonly<Record<string, string>>) =>
    new URLSearchParams({ ...data.chosen, ...more }).toString();
  return (
    <Page>
      <PageHead
        title={t('auditTitle')}
        text={t('auditText')}
        crumbs={useCrumbs()}
        actions={
          <LinkButton to={`/api/admin/audit/export.csv?${search({})}`} icon="download" reloadDocument>
            {t('export')}
          </LinkButton>
        }
      />
      <Card flush>
        <Form method="get" noSummary>
          <div className="sp-log-filters" data-bar>
            <Field name="q" label={t('search')}>
              <TextInput type="search" defaultValue={data.q} maxLength={100} />
            </Field>
            <Field name="actor" label={t('actor')}>
              <TextInput defaultValue={data.actor} maxLength={40} autoComplete="off" />
            </Field>
            <Field name="days" label={t('period')}>
              <Select
                key={data.days}
                defaultValue={data.days}
                options={[
                  { value: '', label: t('always') },
                  ...SPANS.map((span) => ({ value: span, label: t('lastDays', { count: Number(span) }) })),
                ]}
              />
            </Field>
            <Button type="submit" icon="search">
              {t('show')}
            </Button>
          </div>
        </Form>
        {data.entries.length === 0 ? (
          <EmptyState as="h2" art="search" title={t('auditEmpty')} text={t('auditEmptyText')} />
        ) : (
          <AuditEntries entries={data.entries} />
        )}
      </Card>
      <CursorPager
        words="time"
        first={data.isFirst ? null : `${href('admin.audit')}?${search({})}`}
        previous={null}
        next={data.older === null ? null : `${href('admin.audit')}?${search({ before: data.older })}`}
      />
    </Page>
  );
}
