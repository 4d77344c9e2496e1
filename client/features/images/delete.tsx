import type { ReactNode } from 'react';
import { useLoaderData } from 'react-router';
import type { ActionFunctionArgs, LoaderFunctionArgs } from 'react-router';
import { useActionAnswer } from '#client/lib/action-answer.ts';
import { apiOf } from '#client/lib/api-context.ts';
import { toFormFailure } from '#client/lib/form-action.ts';
import { useT } from '#client/lib/i18n.tsx';
import { Button } from '#client/ui/button.tsx';
import { Card } from '#client/ui/card.tsx';
import { Form } from '#client/ui/form.tsx';
import { imagePath } from '#shared/images.ts';

/** What the address says: asking for it changes nothing (attacks T37). */
export function loader({ request, params }: LoaderFunctionArgs) {
  return { id: params.id ?? '', token: (new URL(request.url).searchParams.get('token') ?? '').slice(0, 100) };
}

/** Deletes the image whose token came with the address. */
export async function action(args: ActionFunctionArgs) {
  const form = await args.request.formData();
  try {
    const token = String(form.get('token') ?? '');
    await apiOf(args).images.deleteByToken({ params: { id: args.params.id ?? '' }, body: { token } });
    return { ok: true as const };
  } catch (error) {
    return toFormFailure(error, form);
  }
}

/** /images/:id/delete: the address that a program gets with its upload. */
export default function ImageDeleteScreen(): ReactNode {
  const t = useT('images');
  const { id, token } = useLoaderData<typeof loader>();
  const answer = useActionAnswer<Awaited<ReturnType<typeof action>>>();
  const [title, text] = answer
    ? answer.ok
      ? [t('deletePageDone'), t('deletePageDoneText')]
      : [t('deletePageWrong'), t('deletePageWrongText')]
    : [t('deletePageTitle'), t('deletePageText')];
  return (
    <div className="sp-shown" data-narrow>
      <Card>
        <h1 className="sp-shown__title">{title}</h1>
        <p aria-live="polite">{text}</p>
        {!answer && (
          <Form>
            <img className="sp-shown__small" src={imagePath(id, 'image/webp', 'small')} alt="" />
            <input type="hidden" name="token" value={token} />
            <Button type="submit" variant="danger" icon="trash">
              {t('deletePageButton')}
            </Button>
          </Form>
        )}
      </Card>
    </div>
  );
}
