/** The yardstick of figure r.serve: Bun's static file, and nothing else. In: the file and the port, as arguments. */
const [, , path = '', port = '0'] = process.argv;
const file = Bun.file(path);
Bun.serve({ hostname: '127.0.0.1', port: Number(port), fetch: () => new Response(file) });
