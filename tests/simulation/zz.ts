import { simulate } from '/work/main/tests/simulation/run.ts';
for (let i = 0; i < Number(process.argv[2]); i++) {
  const r = await simulate({ seed: Number(process.argv[3] ?? 1), commands: Number(process.argv[4] ?? 600), users: 40 });
  console.log(i, r.faults.length, r.faults.join('\n   '));
}
process.exit(0);
