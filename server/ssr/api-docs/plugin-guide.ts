import type { GuidePage } from './guide.ts';

const MANIFEST = `{
  "identifier": "my-greeter",
  "version": "1.0.0",
  "needs": "0.1.0",
  "name": "My greeter",
  "text": "Greets users once their address is verified, and counts them.",
  "permissions": {
    "events": ["user.verified"],
    "endpoints": true,
    "storage": true,
    "notifications": true
  },
  "settings": {
    "greeting": { "type": "text", "default": "Good to have you here!", "max": 200 }
  },
  "server": "server.js",
  "client": "client.js",
  "texts": {
    "en": {
      "settings.greeting.label": "Greeting",
      "settings.greeting.hint": "What a user reads once their address is verified."
    }
  }
}
`;
const SERVER = `export default {
  events: {
    'user.verified': async (event, host) => {
      const { userId } = event.data;
      const { greeting } = await host.settings();
      await host.notify({ userId, text: greeting, key: 'greeting' });
      await host.storage.set('greeted:' + userId, event.timestamp);
    },
  },
  endpoints: {
    'GET /greeted': async (call, host) => {
      const users = await host.storage.list('greeted:');
      return { count: users.length };
    },
  },
};
`;
const CLIENT = `export default {
  id: 'my-greeter',
  setup(host) {
    host.addTexts({ en: { title: 'Newcomers', count: 'Greeted so far: {{count}}' } });
    host.addPanel('dashboard.side', {
      id: 'newcomers',
      title: 'title',
      mount(element, { t }) {
        const line = document.createElement('p');
        element.append(line);
        void fetch('/api/plugin/my-greeter/greeted')
          .then((response) => response.json())
          .then(({ success, answer }) => {
            if (success) line.textContent = t('count', { count: JSON.parse(answer).count });
          });
      },
    });
  },
};
`;

/**
 * From nothing to an installed plugin. tests/api/plugin-guide.test.ts does what it says: it saves its files and runs
 * its commands.
 */
export const PLUGINS_PAGE: GuidePage = {
  slug: 'plugins',
  title: 'A plugin in ten minutes',
  blocks: [
    {
      text: 'A plugin extends this installation without changing it. This page makes one that greets users once their address is verified, has a setting and shows a card on the dashboard. You need the `spawnpoint` program and an account that may install plugins.',
    },
    { heading: 'Begin' },
    { text: 'The folder’s name becomes the identifier. What is written is a plugin that works already.' },
    { code: 'spawnpoint plugin new my-greeter\n' },
    {
      text: '`spawnpoint.d.ts` tells your editor what a plugin is given; it completes names and marks faults while you type.',
    },
    { heading: 'Say what it needs' },
    {
      text: 'The manifest names everything that the plugin asks for. Staff read it before anything runs, and grant each kind or not. Fields under `settings` become a form on the plugin’s page.',
    },
    { file: 'my-greeter/plugin.json', code: MANIFEST },
    { heading: 'React to an event' },
    {
      text: 'The server module is one file without imports. A hook hears each event at least once and in order; when it throws, it is called twice more, with the same `event.id`. The `key` makes sure that nobody is greeted twice.',
    },
    { file: 'my-greeter/server.js', code: SERVER },
    { heading: 'Show a card' },
    { text: 'The client module adds cards, pages, entries of the menu and commands. It is one file as well.' },
    { file: 'my-greeter/client.js', code: CLIENT },
    { heading: 'Check, pack and sign' },
    {
      text: '`check` says every fault with its place and what to do. `pack` makes the same bytes of the same files. The key stays with you: whoever has it can sign updates as you.',
    },
    {
      code: 'spawnpoint plugin check my-greeter\nspawnpoint plugin pack my-greeter\nspawnpoint plugin keygen plugin.key\nspawnpoint plugin sign my-greeter-1.0.0.spawnpoint --key plugin.key\n',
    },
    { heading: 'Install' },
    {
      text: 'Open Plugins in the admin area, choose the file, tick what you grant and install it. Only owners can grant the client module, as it runs in everybody’s browser. Tokens cannot install plugins.',
    },
    { heading: 'See it work' },
    {
      text: 'Register an account and open the link in its mail: the greeting is among its notifications, and the count is one.',
    },
    { code: "curl -s '{origin}/api/plugin/my-greeter/greeted'\n" },
    {
      text: 'Change the greeting on the plugin’s page. To publish an update, raise `version`, pack, sign and upload again: settings and storage stay, and staff are asked for what is new alone.',
    },
    { heading: 'What keeps it apart, and what does not' },
    {
      list: [
        'The server module has no files, no environment and no network of its own. It reaches what was granted and nothing else; other plugins’ storage is out of its reach.',
        'A call may compute for 250 ms and fill 32 MB. A plugin that breaks down is started again after a pause, and turned off the fifth time in a row.',
        'It runs in an engine of its own within the same process. A flaw in that engine would reach the product.',
        'What was granted can be misused: credits up to the budget of the day, notifications, and whatever is sent to a host that it may reach.',
        'The client module is not kept apart. It sees and does what the signed-in user can: install one only from somebody you trust.',
      ],
    },
    {
      text: 'A signature says that two versions come from the same author. It does not say that the author means well.',
    },
  ],
};
