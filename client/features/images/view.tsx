import type { ReactNode } from 'react';
import { useLoaderData } from 'react-router';
import type { LoaderFunctionArgs } from 'react-router';
import { apiOf } from '#client/lib/api-context.ts';
import { useFormat, useT } from '#client/lib/i18n.tsx';
import type { PageCard } from '#client/lib/page-card.ts';
import { LinkButton } from '#client/ui/link-button.tsx';
import { IMAGE_SIDES } from '#shared/images.ts';
import { href } from '#shared/routes/href.ts';

/** The image, and the name of the host for its card. */
export async function loader(args: LoaderFunctionArgs) {
  const api = apiOf(args);
  const id = args.params.id ?? '';
  const [image, { settings }] = await Promise.all([api.images.get({ params: { id } }), api.system.settings()]);
  return { image, app: String(settings.app_name ?? '') };
}
type Data = Awaited<ReturnType<typeof loader>>;

export const pageName = ({ image }: Data): string => image.embed.title || image.name;

/** What others show of a link to it, as its owner worded it. */
export function pageCard({ image, app }: Data): PageCard {
  const { embed, name, username, medium_url: url, width, height } = image;
  const scale = Math.min(1, IMAGE_SIDES.medium / Math.max(width, height));
  return {
    title: embed.title || name,
    description: embed.description,
    site: embed.author || [username, app].filter(Boolean).join(' · '),
    color: embed.color,
    image: { url, width: Math.round(width * scale), height: Math.round(height * scale) },
  };
}

/** /i/:id (behaviour 5.5): the page that links to an image lead to. */
export default function ImageScreen(): ReactNode {
  const t = useT('images');
  const format = useFormat();
  const { image, app } = useLoaderData<typeof loader>();
  const { id, name, embed, username, url, medium, width, height, created_at: at } = image;
  const facts = [t('size', { width, height }), format.date(at)].join(' · ');
  return (
    <div className="sp-shown">
      <figure className="sp-card sp-shown__card">
        <a href={url}>
          <img src={medium} width={width} height={height} alt={name} />
        </a>
        <figcaption className="sp-shown__text">
          <div>
            <h1>{embed.title || name}</h1>
            {embed.description !== '' && <p>{embed.description}</p>}
            <p className="sp-meta">
              {embed.author || t('by', { name: username, app })} · {facts}
            </p>
          </div>
          <div className="sp-btn-row">
            <LinkButton to={`${href('images.report')}?image=${id}`} size="sm" variant="ghost">
              {t('report')}
            </LinkButton>
            <LinkButton to={url} reloadDocument size="sm">
              {t('viewImage')}
            </LinkButton>
          </div>
        </figcaption>
      </figure>
    </div>
  );
}
