const { panelFigures } = await import('./panel.ts'); console.log(JSON.stringify(await panelFigures())); process.exit(0);
