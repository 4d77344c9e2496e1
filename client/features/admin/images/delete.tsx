import type { ReactNode } from 'react';
import { useLoaderData } from 'react-router';
import type { ActionFunctionArgs, LoaderFunctionArgs } from 'react-router';
import { apiOf } from '#client/lib/api-context.ts';
import type { FormFailure } from '#client/lib/form-action.ts';
import { useLooseT, useT } from '#client/lib/i18n.tsx';
import { useShell } from '#client/lib/shell-context.ts';
import { runAndLeave } from '#client/resource/leave-form.ts';
import { Badge } from '#client/ui/badge.tsx';
import { TextLink } from '#client/ui/link-button.tsx';
import { Page, PageHead, useCrumbs } from '#client/ui/page.tsx';
import { can } from '#shared/can.ts';
import { href } from '#shared/routes/staff-href.ts';
import { DeleteCard } from '../parts/delete-card.tsx';

/** What would be deleted. */
export async function loader(args: LoaderFunctionArgs) {
  return apiOf(args).adminImages.get({ params: { id: args.params.id ?? '' } });
}

/** Deletes the picture. */
export function action(args: ActionFunctionArgs): Promise<FormFailure | Response> {
  return runAndLeave(args.request, href('admin.images.list'), () =>
    apiOf(args).adminImages.delete({ params: { id: args.params.id ?? '' } }),
  );
}

/** The document's title begins with it. */
export const pageName = ({ image }: Awaited<ReturnType<typeof loader>>): string => image.name;

/** /mc-admin/images/:id/delete */
export default function LibraryDeleteScreen(): ReactNode {
  const t = useT('libraryImages');
  const { image, uses } = useLoaderData<typeof loader>();
  const { name, forms } = image;
  return (
    <Page narrow>
      <PageHead title={t('deleteTitle', { name })} crumbs={useCrumbs({ 'admin.images.delete': name })} />
      <DeleteCard list={href('admin.images.list')} right="admin.images.list" sure={t('deleteSure')} back={t('cancel')}>
        <img className="sp-shown__small" src={forms[0]?.url} alt="" />
        <p>{t('deleteText')}</p>
        <Uses uses={uses} />
      </DeleteCard>
    </Page>
  );
}

type Use = Awaited<ReturnType<typeof loader>>['uses'][number];

/** Where the picture is shown, and what becomes of that. */
function Uses({ uses }: { uses: readonly Use[] }): ReactNode {
  const t = useT('libraryImages');
  if (uses.length === 0) return <p className="sp-muted">{t('usesNone')}</p>;
  return (
    <section aria-labelledby="uses">
      <h2 className="sp-field__label" id="uses">
        {t('usesTitle')}
      </h2>
      {uses.some((use) => !use.by_address) && <p className="sp-muted">{t('usesText')}</p>}
      <ul className="sp-uses">
        {uses.map((use) => (
          <li key={`${use.kind} ${use.id}`}>
            <UseName use={use} />
            {use.by_address && <Badge tone="warning">{t('useBreaks')}</Badge>}
          </li>
        ))}
      </ul>
    </section>
  );
}

/** Who may change what shows it, and where. */
const EDITED = {
  announcement: ['admin.announcements.edit', 'admin.announcements.edit'],
  egg: ['admin.egg.edit', 'admin.eggs.edit'],
  category: ['admin.nests.edit', 'admin.eggCategories.edit'],
} as const;

/** The name of what shows it, as a link where the visitor may change it. */
function UseName({ use: { kind, id, name } }: { use: Use }): ReactNode {
  const t = useT('libraryImages');
  const label = useLooseT('settings');
  const { permissions } = useShell().session;
  if (kind === 'setting') {
    const text = t('use.setting', { name: label(`${id}.label`) || id });
    return can(permissions, 'admin.settings.view') ? (
      <TextLink to={`${href('admin.settings')}?q=${id}`}>{text}</TextLink>
    ) : (
      text
    );
  }
  if (name === null) return t(`useHidden.${kind}`);
  const text = t(`use.${kind}`, { name });
  const [right, page] = EDITED[kind];
  return can(permissions, right) ? <TextLink to={href(page, { id })}>{text}</TextLink> : text;
}
