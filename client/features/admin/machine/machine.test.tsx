import { afterEach, expect, test } from 'bun:test';
import { installDom } from '#tests/support/dom.ts';

await installDom('https://panel.example/mc-admin/machine');
const { cleanup, fireEvent, screen, waitFor, within } = await import('@testing-library/react');
const { refuse, showScreen } = await import('#tests/support/screens.tsx');
const machine = await import('./screen.tsx');

afterEach(cleanup);

const GB = 1024 ** 3;
const part = (name: string, state = 'enforced', accepted = false) => ({ part: name, state, accepted });
const FACTS = {
  grade: 'B',
  parts: [...['user', 'network', 'memory', 'cpu', 'calls'].map((name) => part(name)), part('disk', 'partial')],
  open: true,
  groups: 2,
  system: 'Debian GNU/Linux 12',
  kernel: '6.1.0',
  processor: 'EPYC',
  cores: 4,
  uptime_ms: 86_400_000,
  memory: { total: 8 * GB, free: 5 * GB },
  disk: { total: 100 * GB, free: 60 * GB, kind: 'ext4' },
  folder: '/srv/servers',
  maintenance: false,
  reserve: 2 * GB,
};
const server = (name: string, more: object = {}) => ({
  id: `id-${name}`,
  name,
  state: 'running',
  halt: null,
  cpu: 12.5,
  memory: GB,
  memory_limit: 2048,
  disk: GB,
  disk_limit: 4096,
  port: 25_565,
  ...more,
});
const VIEW = {
  state: 'running',
  lacks: [],
  missing: [],
  machine: FACTS,
  ports: { first: 25_565, last: 25_664 },
  sold: { servers: 2, memory: 4096, disk: 8192, cpu: 200, ports: 2 },
  used: { memory: GB, disk: GB, cpu: 13, running: 1 },
  memory_share: 80,
  recipes: [
    { id: 'bun-app', on: true, needs: null },
    { id: 'java-app', on: true, needs: 'default-jre-headless' },
    { id: 'node-app', on: false, needs: null },
  ],
  recipes_off: 'node-app',
  engine: null,
  accepted_parts: '',
  servers: [server('Lanternwood'), server('Voice <b>', { state: 'offline', halt: 'crashed', port: null })],
};
const ROWS = [
  { key: 'machine_accepted_parts', value: 'network', revision: 7 },
  { key: 'machine_recipes_off', value: 'node-app', revision: 2 },
];
const show = (view: object, permissions: readonly string[] = ['admin.root'], more: object = {}) =>
  showScreen(machine, {
    url: '/mc-admin/machine',
    session: { permissions: [...permissions] as never },
    answers: {
      'GET /api/admin/machine': { ...VIEW, ...view },
      'GET /api/admin/settings': { rows: ROWS, environment: [] },
      ...more,
    },
  });

test('the grade says for whom the machine is fit, and each part what it holds', async () => {
  show({});
  expect(await screen.findByText('Grade B')).toBeTruthy();
  expect(screen.getByText(/Only staff can create servers here/)).toBeTruthy();
  expect(screen.getByText(/Files are counted every second/)).toBeTruthy();
  expect(screen.getAllByText('enforced')).toHaveLength(5);
  expect(screen.getByText(/4 GB sold of 6.4 GB \(80\s?%\). Servers use 1 GB/)).toBeTruthy();
  expect(screen.getByText('ufw allow 25565:25664/udp')).toBeTruthy();
  expect(screen.getByText('apt-get install default-jre-headless')).toBeTruthy();
});

test('what has the kernel hold limits of disk is said for the file system below the servers', async () => {
  show({ machine: { ...FACTS, folder: "/srv/ada's servers" } });
  expect((await screen.findByText(/^apt install quota && /)).textContent).toBe(
    String.raw`apt install quota && disk=$(findmnt -n -o TARGET -T '/srv/ada'\''s servers') && mount -o remount,usrjquota=aquota.user,jqfmt=vfsv1 "$disk" && quotacheck -cmu "$disk" && quotaon -u "$disk" && systemctl restart spawnpoint-node`,
  );
  expect(screen.getByText(/\/etc\/fstab as well/)).toBeTruthy();
  cleanup();
  show({ machine: { ...FACTS, disk: { ...FACTS.disk, kind: 'xfs' } } });
  expect(await screen.findByText(/mounted with the option uquota/)).toBeTruthy();
  expect(screen.queryByText(/^apt install quota/)).toBeNull();
  cleanup();
  show({ machine: { ...FACTS, disk: { ...FACTS.disk, kind: 'btrfs' } } });
  expect(await screen.findByText(/^btrfs can’t count by user/)).toBeTruthy();
  cleanup();
  show({ machine: { ...FACTS, parts: FACTS.parts.map((each) => part(each.part)), grade: 'A' } });
  expect(await screen.findByText(/counts by user \(quota\)/)).toBeTruthy();
  expect(screen.queryByText(/^apt install quota|uquota/)).toBeNull();
});

test('the kind for images says which engine there is, and how a machine without one gets one', async () => {
  const kind = (lacking: boolean) => [{ id: 'container', on: true, lacking, needs: null }];
  const engine = { state: 'ready', name: 'Podman', version: '4.3.1', socket: '/run/podman/podman.sock' };
  show({ recipes: kind(false), engine });
  expect(await screen.findByText(/^Podman 4\.3\.1, at \/run\/podman\/podman\.sock\./)).toBeTruthy();
  expect(screen.queryByText(/podman\.socket$/)).toBeNull();
  cleanup();
  show({ recipes: kind(true), engine: { state: 'absent', name: '', version: '', socket: '' } });
  expect(await screen.findByText('systemctl enable --now podman.socket')).toBeTruthy();
  expect(screen.getByText('apt-get install podman')).toBeTruthy();
  expect(screen.getByText('not available')).toBeTruthy();
  cleanup();
  show({ recipes: kind(true), engine: { ...engine, name: 'Docker', state: 'rootless' } });
  expect(await screen.findByText(/^Docker runs without root/)).toBeTruthy();
  expect(screen.queryByText('apt-get install podman')).toBeNull();
});

test('servers stand with what they use and why they do not run', async () => {
  show({});
  const table = await screen.findByRole('table', { name: 'Servers here' });
  const [, first, second] = within(table).getAllByRole('row');
  expect(first?.textContent).toContain('LanternwoodRunning');
  expect(first?.textContent).toContain('1 GB of 2 GB');
  expect(second?.textContent).toContain('Voice <b>Crashed');
});

test('a risk is accepted beside those that were accepted before, and a kind is turned on again', async () => {
  const saved: unknown[] = [];
  show({}, ['admin.root'], {
    'PATCH /api/admin/settings': ({ body }: { body: unknown }) => {
      saved.push(body);
      return { changed: 1 };
    },
  });
  fireEvent.click(await screen.findByRole('button', { name: 'Accept this risk' }));
  const dialog = await screen.findByRole('alertdialog');
  fireEvent.click(within(dialog).getByRole('button', { name: 'Accept this risk' }));
  expect(await screen.findByText('Saved.')).toBeTruthy();
  fireEvent.click(screen.getByRole('button', { name: 'Turn on: Node app' }));
  await waitFor(() => expect(saved).toHaveLength(2));
  await waitFor(() =>
    expect(screen.getByRole('button', { name: 'Turn on: Node app' }).hasAttribute('disabled')).toBe(false),
  );
  expect(saved).toEqual([
    { changes: [{ key: 'machine_accepted_parts', value: 'network disk', revision: 7 }], confirmed: true },
    { changes: [{ key: 'machine_recipes_off', value: '', revision: 2 }], confirmed: true },
  ]);
});

test('maintenance is begun after a question, and a node that is away says so', async () => {
  show({}, ['admin.root'], { 'POST /api/admin/machine/stop': refuse('MACHINE_UNREACHABLE') });
  fireEvent.click(await screen.findByRole('button', { name: 'Stop all servers' }));
  const dialog = await screen.findByRole('alertdialog');
  expect(dialog.textContent).toContain('not even after a reboot');
  fireEvent.click(within(dialog).getByRole('button', { name: 'Stop all servers' }));
  expect((await screen.findByRole('alert')).textContent).toContain('The node of this machine doesn’t answer');
});

test('who may only look changes nothing', async () => {
  show({}, ['admin.health.view']);
  await screen.findByText('Grade B');
  for (const name of ['Stop all servers', 'Accept this risk', 'Turn off: Bun app'])
    expect(screen.queryByRole('button', { name })).toBeNull();
});

test('a machine that imitates says what running servers takes, and one without its node how to start it', async () => {
  show({ state: 'simulated', machine: null, lacks: ['root', 'tools'], missing: ['nft', 'ip'] });
  expect(await screen.findByText('No game process runs here')).toBeTruthy();
  expect(screen.getByText('apt-get install nftables iproute2')).toBeTruthy();
  cleanup();
  show({ state: 'simulated', machine: null, lacks: ['root'] });
  expect(await screen.findByText('RUNTIME=auto spawnpoint serve')).toBeTruthy();
  cleanup();
  show({ state: 'absent', machine: null });
  expect(await screen.findByText('The node doesn’t answer')).toBeTruthy();
  expect(screen.getByText('systemctl start spawnpoint-node')).toBeTruthy();
});
