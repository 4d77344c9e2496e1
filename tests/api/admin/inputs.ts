import type { EggInput } from '#shared/resources/eggs.ts';

/** A good egg in a category; `n` makes it another one. */
export function eggInput(categoryId: string, n: number): EggInput {
  return {
    category_id: categoryId,
    name: `Egg ${String(n).padStart(2, '0')}`,
    description: `No. ${n}`,
    shape: n % 2 === 0 ? 'cube' : 'stairs',
    hue: n % 12,
    picture: '',
    enabled: n % 2 === 0,
    vip_only: n % 3 === 0,
    position: (n * 5) % 7,
    docker_image: 'ghcr.io/pterodactyl/yolks:java_21',
    startup: 'java -jar {{SERVER_JARFILE}} --port {{SERVER_PORT}}',
    min_memory: 1024 + n,
    min_disk: 1024,
    min_cpu: 50,
    variables: [
      {
        env: 'SERVER_JARFILE',
        name: 'Server file',
        description: '',
        default_value: 'server.jar',
        rules: 'required|regex:/^([\\w\\d._-]+)(\\.jar)$/',
        user_editable: true,
      },
    ],
  };
}
