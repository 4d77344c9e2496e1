const { dashboardFigures } = await import('./panel-dashboard.ts'); console.log(JSON.stringify(await dashboardFigures())); process.exit(0);
