import { afterEach, expect, test } from 'bun:test';
import { createMemoryRouter, Form, Link, RouterProvider } from 'react-router';
import { installDom } from '#tests/support/dom.ts';
import { useActionAnswer } from './action-answer.ts';

await installDom();
const { act, cleanup, fireEvent, render, screen } = await import('@testing-library/react');
afterEach(cleanup);

function Page() {
  const answer = useActionAnswer<{ said: string }>();
  return (
    <Form method="post">
      <output>{answer?.said ?? 'nothing'}</output>
      <button type="submit" name="say" value="well">
        Say well
      </button>
      <button type="submit" name="say" value="better">
        Say better
      </button>
      <Link to="/?again">Again</Link>
    </Form>
  );
}

test('an answer outlives a page that asks its loader again, and ends with the next answer or navigation', async () => {
  let loads = 0;
  const router = createMemoryRouter([
    {
      path: '/',
      Component: Page,
      HydrateFallback: () => null,
      loader: () => (loads += 1),
      action: async ({ request }) => ({ said: String((await request.formData()).get('say')) }),
    },
  ]);
  render(<RouterProvider router={router} />);
  const says = () => screen.getByRole('status').textContent;
  expect(await screen.findByText('nothing')).toBeDefined();
  fireEvent.click(screen.getByRole('button', { name: 'Say well' }));
  await screen.findByText('well');
  const before = loads;
  await act(() => router.revalidate());
  expect([loads > before, says()]).toEqual([true, 'well']);
  fireEvent.click(screen.getByRole('button', { name: 'Say better' }));
  await screen.findByText('better');
  await act(() => router.revalidate());
  expect(says()).toBe('better');
  fireEvent.click(screen.getByRole('link', { name: 'Again' }));
  await screen.findByText('nothing');
});
