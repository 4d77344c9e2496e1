import type { ReactNode } from 'react';
import { useLoaderData } from 'react-router';
import type { ActionFunctionArgs, LoaderFunctionArgs } from 'react-router';
import { useActionAnswer } from '#client/lib/action-answer.ts';
import { apiOf } from '#client/lib/api-context.ts';
import { useErrorText } from '#client/lib/error-text.ts';
import { toFormFailure } from '#client/lib/form-action.ts';
import { useT } from '#client/lib/i18n.tsx';
import { Banner } from '#client/ui/banner.tsx';
import { Card } from '#client/ui/card.tsx';
import { CopyButton } from '#client/ui/copy-button.tsx';
import { LinkButton } from '#client/ui/link-button.tsx';
import { Page, PageHead, useCrumbs } from '#client/ui/page.tsx';
import { href } from '#shared/routes/href.ts';
import { DropZone, UploadList } from './drop-zone.tsx';
import { useUploads } from './use-uploads.ts';

/** What an image costs. */
export async function loader(args: LoaderFunctionArgs) {
  const { price } = await apiOf(args).images.list({ query: {} });
  return { price };
}

/** Uploads the file of a form, where there are no scripts to do it. */
export async function action(args: ActionFunctionArgs) {
  const form = await args.request.formData();
  const file = form.get('file');
  try {
    const body = file instanceof File ? await file.bytes() : new Uint8Array();
    const query = { upload: crypto.randomUUID(), name: file instanceof File ? file.name.slice(0, 1000) : '' };
    const { image } = await apiOf(args).images.upload({ query, body });
    return { ok: true as const, image };
  } catch (error) {
    return toFormFailure(error, form);
  }
}

/** /images/upload (behaviour 5.5) */
export default function ImagesUploadScreen(): ReactNode {
  const t = useT('images');
  const { price } = useLoaderData<typeof loader>();
  const answer = useActionAnswer<Awaited<ReturnType<typeof action>>>();
  const errorText = useErrorText();
  const uploads = useUploads(price, () => undefined);
  return (
    <Page narrow>
      <PageHead
        title={t('uploadTitle')}
        text={t('uploadText')}
        crumbs={useCrumbs()}
        actions={<LinkButton to={href('images')}>{t('library')}</LinkButton>}
      />
      {answer && !answer.ok && (
        <Banner tone="danger" live>
          {t('unpaid', { problem: errorText.code(answer.code) })}
        </Banner>
      )}
      <DropZone price={price} uploads={uploads} />
      <UploadList uploads={uploads} />
      {answer?.ok && (
        <Card title={t('done')}>
          <CopyButton text={answer.image.link} what={t('copyWhat', { name: answer.image.name })} />
        </Card>
      )}
    </Page>
  );
}
