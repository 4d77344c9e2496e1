import { Hono } from 'hono';

/** The yardstick of figure b: one JSON route of Hono and nothing else. In: the answer's text and the port, as arguments. */
const [, , text = '{}', port = '0'] = process.argv;
const answer = JSON.parse(text) as Record<string, unknown>;
const app = new Hono();
app.get('/api/user/session', (c) => c.json(answer));
Bun.serve({ hostname: '127.0.0.1', port: Number(port), fetch: app.fetch });
