import type { ReactNode } from 'react';
import { redirect, useActionData, useLoaderData } from 'react-router';
import type { ActionFunctionArgs, LoaderFunctionArgs } from 'react-router';
import { apiOf } from '#client/lib/api-context.ts';
import { toFormFailure, type FormFailure } from '#client/lib/form-action.ts';
import { useFormProps } from '#client/lib/form-props.ts';
import { useT } from '#client/lib/i18n.tsx';
import { Button } from '#client/ui/button.tsx';
import { Card } from '#client/ui/card.tsx';
import { Form } from '#client/ui/form.tsx';
import { LinkButton } from '#client/ui/link-button.tsx';
import { Page, PageHead, useCrumbs } from '#client/ui/page.tsx';
import { href } from '#shared/routes/staff-href.ts';

/** What would be removed; one that comes with the product cannot be. */
export async function loader(args: LoaderFunctionArgs) {
  const identifier = args.params.identifier ?? '';
  const { plugin } = await apiOf(args).adminPlugins.get({ params: { identifier } });
  // oxlint-disable-next-line no-throw-literal -- the router's way to say that there is no page
  if (plugin.installed === null) throw new Response(null, { status: 404 });
  return { identifier, name: plugin.installed.name };
}

/** Removes it. */
export async function action(args: ActionFunctionArgs): Promise<FormFailure | Response> {
  const form = await args.request.formData();
  try {
    await apiOf(args).adminPlugins.remove({ params: { identifier: args.params.identifier ?? '' } });
    return redirect(`${href('admin.plugins.list')}?done=delete`);
  } catch (error) {
    return toFormFailure(error, form);
  }
}

/** The document's title begins with it. */
export const pageName = ({ name }: Awaited<ReturnType<typeof loader>>): string => name;

/** /mc-admin/plugins/:identifier/delete (behaviour 8.8) */
export default function PluginDeleteScreen(): ReactNode {
  const t = useT('plugins');
  const { identifier, name } = useLoaderData<typeof loader>();
  return (
    <Page narrow>
      <PageHead title={t('removeTitle', { name })} crumbs={useCrumbs()} />
      <Card tone="danger" title={t('removeSure')} text={t('removeText')}>
        <Form {...useFormProps(useActionData<FormFailure>())}>
          <div className="sp-btn-row">
            <Button type="submit" variant="danger" icon="trash">
              {t('removeDo')}
            </Button>
            <LinkButton to={href('admin.plugins.config', { identifier })} variant="ghost">
              {t('back')}
            </LinkButton>
          </div>
        </Form>
      </Card>
    </Page>
  );
}
