import { CLIENT_DIR } from '../client-build.ts';
import type { Figure } from './report.ts';

/** Each part of the benchmark, run in a process of its own. Its modules are loaded only there. */
const PARTS: Readonly<Record<string, () => Promise<Figure[]>>> = {
  async a() {
    const { captured, render } = (await import('./page-spy.ts')).spyOnRender();
    return (await import('./page.ts')).pageFigures(captured, render);
  },
  async b() {
    return (await import('./session.ts')).sessionFigures();
  },
  async c() {
    return (await import('./ledger.ts')).ledgerFigures();
  },
  async d() {
    return (await import('./weight.ts')).weightFigures(CLIENT_DIR);
  },
  async e() {
    return (await import('./binary.ts')).binaryFigures();
  },
  async f() {
    return (await import('./vitals.ts')).vitalFigures();
  },
  async g() {
    return (await import('./community.ts')).communityFigures();
  },
  async h() {
    return [
      ...(await (await import('./commands.ts')).commandFigures()),
      ...(await (await import('./afk.ts')).afkFigures()),
    ];
  },
  async i() {
    return [
      ...(await (await import('./panel.ts')).panelFigures()),
      ...(await (await import('./panel-dashboard.ts')).dashboardFigures()),
    ];
  },
  async j() {
    return (await import('./stalls.ts')).stallFigures();
  },
  async k() {
    return (await import('./storm.ts')).stormFigures();
  },
  async m() {
    return (await import('./backup.ts')).backupFigures();
  },
  async y() {
    return [
      ...(await (await import('./stall/command-line.ts')).commandLineFigures()),
      ...(await (await import('./stall/crowd.ts')).crowdFigures()),
    ];
  },
  async z() {
    return (await import('./stall/archive.ts')).archiveFigures();
  },
  async o() {
    return (await import('./imports.ts')).importFigures();
  },
  async q() {
    return (await import('./node.ts')).nodeFigures();
  },
  async w() {
    return (await import('./workers.ts')).workerFigures();
  },
  async x() {
    return (await import('./postgres.ts')).postgresFigures();
  },
  async n() {
    return (await import('./talk.ts')).talkFigures();
  },
  async u() {
    const { tableSizeFigures } = await import('./table-sizes.ts');
    return [...(await (await import('./afk.ts')).growthFigures()), ...(await tableSizeFigures())];
  },
  async v() {
    return (await import('./statements.ts')).statementFigures();
  },
  async s() {
    return (await import('./stall/figures.ts')).stallFiguresOfWorld();
  },
  async p() {
    return (await import('./plugins.ts')).pluginFigures();
  },
  async t() {
    return (await import('./tickets.ts')).ticketFigures();
  },
  async r() {
    return (await import('./images.ts')).imageFigures();
  },
};

const part = PARTS[process.argv[2] ?? ''];
if (!part) throw new Error('which part?');
console.log(JSON.stringify(await part()));
process.exit(0);
