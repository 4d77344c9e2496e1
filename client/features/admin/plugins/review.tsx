import type { ReactNode } from 'react';
import { redirect, useActionData, useLoaderData } from 'react-router';
import type { ActionFunctionArgs, LoaderFunctionArgs } from 'react-router';
import { apiOf } from '#client/lib/api-context.ts';
import { toFormFailure, type FormFailure } from '#client/lib/form-action.ts';
import { FormKey } from '#client/lib/form-key.ts';
import { useFormProps } from '#client/lib/form-props.ts';
import { useFormat, useT } from '#client/lib/i18n.tsx';
import { Banner } from '#client/ui/banner.tsx';
import { Button } from '#client/ui/button.tsx';
import { Card, Facts } from '#client/ui/card.tsx';
import { Checkbox } from '#client/ui/choice.tsx';
import { Field } from '#client/ui/field.tsx';
import { Form } from '#client/ui/form.tsx';
import { NumberInput } from '#client/ui/number-input.tsx';
import { Page, PageHead, useCrumbs } from '#client/ui/page.tsx';
import type { PluginReview } from '#shared/contract/plugins.ts';
import { REQUEST_KINDS } from '#shared/plugins.ts';
import { href } from '#shared/routes/staff-href.ts';
import { Isolation, RequestText, useRequestGroups, type RequestGroup } from './requests.tsx';

/** A package that waits for a decision. */
export const loader = (args: LoaderFunctionArgs) =>
  apiOf(args).adminPlugins.review({ params: { id: args.params.id ?? '' } });

/** The plugin that the page is about. */
export const pageName = ({ review }: Awaited<ReturnType<typeof loader>>): string => review.name;

/** Installs it with what is ticked, or gives it up. */
export async function action(args: ActionFunctionArgs): Promise<FormFailure | Response> {
  const form = await args.request.formData();
  const api = apiOf(args).adminPlugins;
  const params = { id: args.params.id ?? '' };
  const key = String(form.get('_key') ?? '');
  try {
    if (form.get('_intent') === 'discard') {
      await api.discard({ params });
      return redirect(href('admin.plugins.list'));
    }
    const typed = String(form.get('credits') ?? '').trim();
    const body = {
      granted: REQUEST_KINDS.filter((kind) => form.get(`grant.${kind}`) === 'on'),
      // What is no number is refused at the field.
      credits: typed === '' ? null : Number(typed),
      unsigned: form.get('unsigned') === 'on',
    };
    const { identifier } = await api.install({ params, body }, key === '' ? {} : { key });
    return redirect(`${href('admin.plugins.config', { identifier })}?done=install`);
  } catch (error) {
    return toFormFailure(error, form);
  }
}

/** /mc-admin/plugins/uploads/:id (behaviour 8.8) */
export default function PluginReviewScreen(): ReactNode {
  const t = useT('plugins');
  const { review } = useLoaderData<typeof loader>();
  const { name, version, installed, change, text } = review;
  const feedback = useFormProps(useActionData<FormFailure>(), ['credits', 'unsigned']);
  const groups = useRequestGroups(review.requests);
  return (
    <Page>
      <PageHead title={t(`changeTitle.${change}`, { name, version })} text={text} crumbs={useCrumbs()} />
      {change !== 'install' && (
        <Banner tone={change === 'downgrade' ? 'warning' : 'info'}>
          {t(`replaces.${change}`, { version: installed ?? '' })}
        </Banner>
      )}
      <Form {...feedback} labels={{ credits: t('budget'), unsigned: t('unsigned') }}>
        <FormKey />
        <div className="sp-split">
          <Card title={t('asks')} text={groups.length > 0 ? t('asksText') : undefined}>
            {groups.length === 0 && <p className="sp-muted">{t('asksNothing')}</p>}
            {groups.map((group) => (
              <Grant key={group.kind} group={group} review={review} />
            ))}
            <Signature review={review} />
            <div className="sp-btn-row">
              <Button type="submit" variant="primary">
                {t(`changeDo.${change}`)}
              </Button>
              <Button type="submit" name="_intent" value="discard" variant="ghost" formNoValidate>
                {t('discard')}
              </Button>
            </div>
          </Card>
          <div className="sp-stack">
            <AboutCard review={review} />
            <Card title={t('apartTitle')}>
              <Isolation />
            </Card>
          </div>
        </div>
      </Form>
    </Page>
  );
}

/**
 * One kind of request, to be ticked; ticked from the start where an update asks for nothing new of it. A budget that
 * was granted stays what it was.
 */
function Grant({ group, review }: { group: RequestGroup; review: PluginReview }): ReactNode {
  const { identifier, installed, granted_credits: granted } = review;
  const updates = installed !== null;
  const t = useT('plugins');
  const format = useFormat();
  const { kind, credits, isNew } = group;
  return (
    <div className="sp-plugins__grant">
      <Checkbox
        name={`grant.${kind}`}
        defaultChecked={updates && (!isNew || (kind === 'credits' && granted !== null))}
        hint={<RequestText group={group} identifier={identifier} />}
      >
        {t(`kind.${kind}`)}
        {updates && isNew && <span className="sp-plugins__new">{t('isNew')}</span>}
      </Checkbox>
      {credits !== null && (
        <Field name="credits" label={t('budget')} hint={t('budgetHint', { count: format.number(credits) })}>
          <NumberInput
            defaultValue={String(Math.min(credits, granted ?? credits))}
            min={1}
            max={credits}
            step={1}
            inputMode="numeric"
          />
        </Field>
      )}
    </div>
  );
}

/** Who signed it; what is not signed as it should be has to be confirmed. */
function Signature({ review: { signature, known_since: since } }: { review: PluginReview }): ReactNode {
  const t = useT('plugins');
  const format = useFormat();
  const bad = signature === 'none' || signature === 'other';
  return (
    <>
      <Banner tone={bad ? 'warning' : signature === 'known' ? 'positive' : 'info'}>
        {t(`signature.${signature}`, { date: since === null ? '' : format.date(since) })}
      </Banner>
      {bad && <Checkbox name="unsigned">{t('unsigned')}</Checkbox>}
    </>
  );
}

function AboutCard({ review }: { review: PluginReview }): ReactNode {
  const t = useT('plugins');
  const format = useFormat();
  const { author, version, size, signer, digest, identifier } = review;
  return (
    <Card title={t('about')}>
      <Facts
        items={[
          { label: t('author'), value: author || t('unknownAuthor') },
          { label: t('version'), value: `${identifier} ${version}` },
          { label: t('size'), value: format.memory(Math.max(0.01, Math.round(size / 10_486) / 100)) },
          ...(signer === null ? [] : [{ label: t('key'), value: <code className="sp-plugins__code">{signer}</code> }]),
          { label: t('digest'), value: <code className="sp-plugins__code">{digest}</code> },
        ]}
      />
    </Card>
  );
}
