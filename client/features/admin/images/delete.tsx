import type { ReactNode } from 'react';
import { redirect, useActionData, useLoaderData } from 'react-router';
import type { ActionFunctionArgs, LoaderFunctionArgs } from 'react-router';
import { apiOf } from '#client/lib/api-context.ts';
import { toFormFailure, type FormFailure } from '#client/lib/form-action.ts';
import { useFormProps } from '#client/lib/form-props.ts';
import { useT } from '#client/lib/i18n.tsx';
import { useShell } from '#client/lib/shell-context.ts';
import { Button } from '#client/ui/button.tsx';
import { Card } from '#client/ui/card.tsx';
import { Form } from '#client/ui/form.tsx';
import { LinkButton } from '#client/ui/link-button.tsx';
import { Page, PageHead, useCrumbs } from '#client/ui/page.tsx';
import { can } from '#shared/can.ts';
import { href } from '#shared/routes/href.ts';

/** What would be deleted. */
export async function loader(args: LoaderFunctionArgs) {
  return apiOf(args).adminImages.get({ params: { id: args.params.id ?? '' } });
}

/** Deletes the picture. */
export async function action(args: ActionFunctionArgs): Promise<FormFailure | Response> {
  const form = await args.request.formData();
  try {
    await apiOf(args).adminImages.delete({ params: { id: args.params.id ?? '' } });
    return redirect(form.get('_stay') === null ? href('admin.images.list') : href('dashboard'));
  } catch (error) {
    return toFormFailure(error, form);
  }
}

/** The document's title begins with it. */
export const pageName = ({ image }: Awaited<ReturnType<typeof loader>>): string => image.name;

/** /mc-admin/images/:id/delete */
export default function LibraryDeleteScreen(): ReactNode {
  const t = useT('libraryImages');
  const { image } = useLoaderData<typeof loader>();
  const answer = useFormProps(useActionData<FormFailure>());
  const isListed = can(useShell().session.permissions, 'admin.images.list');
  const { name, forms } = image;
  return (
    <Page narrow>
      <PageHead title={t('deleteTitle', { name })} crumbs={useCrumbs({ 'admin.images.delete': name })} />
      <Card tone="danger">
        <img className="sp-shown__small" src={forms[0]?.url} alt="" />
        <p>{t('deleteText')}</p>
        <Form {...answer}>
          {!isListed && <input type="hidden" name="_stay" value="1" />}
          <div className="sp-btn-row">
            <Button type="submit" variant="danger" icon="trash">
              {t('deleteSure')}
            </Button>
            <LinkButton to={href(isListed ? 'admin.images.list' : 'dashboard')} variant="ghost">
              {t('cancel')}
            </LinkButton>
          </div>
        </Form>
      </Card>
    </Page>
  );
}
