import type { ReactNode } from 'react';
import { useParams } from 'react-router';
import type { LoaderFunctionArgs } from 'react-router';
import { apiOf } from '#client/lib/api-context.ts';
import { usePlugins, usePluginTexts } from '#client/lib/plugins.ts';
import { useHydrated } from '#client/lib/use-hydrated.ts';
import { Page, PageHead } from '#client/ui/page.tsx';
import { PluginPart } from '#client/ui/plugin-part.tsx';
import NotFoundScreen from './not-found.tsx';

/** Only browsers know the pages of plugins; without any plugins the server answers 404. */
export async function loader(args: LoaderFunctionArgs): Promise<null> {
  const { custom } = await apiOf(args).system.settings();
  // oxlint-disable-next-line no-throw-literal -- the router's way to say that there is no page
  if (custom.plugins.length === 0) throw new Response(null, { status: 404 });
  return null;
}

/** /plugin/:id/…: a page that a plugin added. */
export default function PluginScreen(): ReactNode {
  const { id, '*': rest = '' } = useParams();
  const path = rest.replaceAll(/^\/+|\/+$/g, '');
  const texts = usePluginTexts();
  const hydrated = useHydrated();
  const plugin = usePlugins().find((each) => each.id === id);
  const page = plugin?.pages.get(path);
  if (!plugin || !page) return hydrated ? <NotFoundScreen /> : null;
  return (
    <Page>
      <PageHead title={texts(plugin)(page.title)} />
      <PluginPart key={`${plugin.id} ${path}`} plugin={plugin} mount={page.mount} path={path} />
    </Page>
  );
}
