import { smokeCommand } from '../server/cli/smoke.ts';

process.exitCode = await smokeCommand(process.argv.slice(2));
