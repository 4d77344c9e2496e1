/** A file as Pterodactyl exports it (PTDL_v2): settings are JSON inside of texts. */
export const PTDL_FILE = {
  _comment: 'DO NOT EDIT',
  meta: { version: 'PTDL_v2', update_url: null },
  name: 'Paper',
  author: 'a@example.com',
  description: 'High performance.\r\nA fork.',
  features: ['eula'],
  docker_images: { 'Java 21': 'ghcr.io/pterodactyl/yolks:java_21', 'Java 17': 'ghcr.io/pterodactyl/yolks:java_17' },
  file_denylist: [],
  startup: 'java -Xmx{{SERVER_MEMORY}}M -jar {{SERVER_JARFILE}} --port {{server.build.default.port}}',
  config: {
    files: JSON.stringify({
      'server.properties': { parser: 'properties', find: { 'server-port': '{{server.build.default.port}}' } },
    }),
    startup: '{"done": ")! For help"}',
    logs: '{}',
    stop: 'stop',
  },
  scripts: {
    installation: {
      script: '#!/bin/ash\ncurl …',
      container: 'ghcr.io/pterodactyl/installers:alpine',
      entrypoint: 'ash',
    },
  },
  variables: [
    {
      name: 'Minecraft Version',
      description: 'The version.\nOr latest.',
      env_variable: 'MINECRAFT_VERSION',
      default_value: 'latest' as string | boolean,
      user_viewable: true,
      user_editable: true as boolean | number,
      rules: 'required|string|max:20',
    },
  ],
};
