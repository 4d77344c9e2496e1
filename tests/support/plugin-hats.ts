import type { Plugin } from '#client/lib/plugins.ts';

/**
 * An example of a client plugin: an entry of the menu, two panels, two pages, texts in two languages. A real one is a
 * module of its own with this default export.
 */
const hats: Plugin = {
  id: 'hats',
  setup(host) {
    host.addTexts({
      en: {
        menu: 'Hats',
        today: 'Hat of the day',
        hat: 'Top hat',
        mine: 'My hats',
        none: 'none yet',
        count_one: '{{count}} hat of {{name}}',
        count_other: '{{count}} hats of {{name}}',
        all: 'All hats',
        fresh: 'New hats',
      },
      de: { menu: 'Hüte', today: 'Hut des Tages', hat: 'Zylinder', mine: 'Meine Hüte' },
    });
    host.addMenuEntry({ label: 'menu', page: '/', group: 'community', icon: 'crown' });
    host.addPanel('dashboard.side', {
      id: 'today',
      title: 'today',
      mount: (element, { t }) => {
        element.textContent = t('hat');
      },
    });
    host.addPanel('account.tab', { id: 'mine', title: 'mine', mount: (element, { t }) => element.append(t('none')) });
    host.addCommand({ id: 'wear', label: 'today', icon: 'crown', run: () => void (document.title = 'Hat on') });
    host.addPage('', { title: 'all', mount: (element, { t }) => element.append(t('menu')) });
    host.addPage('/shop/new', {
      title: 'fresh',
      mount: (element, { path, t }) => {
        const line = document.createElement('p');
        line.textContent = `page ${path}, ${t('count', { count: 1200, name: 'Mirela' })}`;
        element.append(line);
        return () => line.remove();
      },
    });
  },
};
export default hats;
