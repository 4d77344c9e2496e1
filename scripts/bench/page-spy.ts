import * as server from 'react-dom/server';

export type Render = typeof server.renderToReadableStream;

/**
 * Looks on while the application renders: puts a `renderToReadableStream` in the place of React's that remembers what
 * it was given. Call it before the application is loaded. Out: the arguments of the latest call, and React's own
 * function.
 */
export function spyOnRender(): { captured: () => Parameters<Render>; render: Render } {
  const render = server.renderToReadableStream;
  let latest: Parameters<Render> | null = null;
  void Bun.plugin({
    name: 'render-spy',
    setup(build) {
      build.module('react-dom/server', () => ({
        loader: 'object',
        exports: {
          ...server,
          renderToReadableStream: (...args: Parameters<Render>) => {
            latest ??= args;
            return render(...args);
          },
        },
      }));
    },
  });
  return {
    render,
    captured: () => {
      if (!latest) throw new Error('nothing was rendered');
      return latest;
    },
  };
}
