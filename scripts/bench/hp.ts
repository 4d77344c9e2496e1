const { commandFigures } = await import('/work/panels/scripts/bench/commands.ts');
await commandFigures();
