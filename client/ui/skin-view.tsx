import { useEffect, useEffectEvent, useRef, useState, type ReactNode } from 'react';
import { imageUrl } from '#client/lib/image-url.ts';
import { prefersReducedMotion } from '#client/lib/motion.ts';
import { useUiSettings } from '#client/lib/ui-settings-store.ts';
import { useNearViewport } from '#client/lib/use-near-viewport.ts';
import type { Scene } from './skin-scene.ts';

/** Whether this browser has WebGL, tested on a throw-away canvas. */
function hasWebGl(): boolean {
  const canvas = document.createElement('canvas');
  const context = canvas.getContext('webgl2') ?? canvas.getContext('webgl');
  context?.getExtension('WEBGL_lose_context')?.loseContext();
  return Boolean(context);
}

/**
 * The player with a skin: flat from the front at first, walking in 3D once the viewer has loaded (specification,
 * section 9), which happens near the viewport, or at once with lazy loading off. It stays flat without WebGL. In: the
 * skin's address and its text alternative.
 */
export function SkinView({ src, label }: { src: string; label: string }): ReactNode {
  const canvas = useRef<HTMLCanvasElement>(null);
  const state = useScene(canvas, src);
  return (
    <div className="sp-skin" data-state={state}>
      <figure className="sp-skin__in">
        <FlatSkin src={src} />
        <canvas ref={canvas} className="sp-skin__scene" aria-hidden="true" />
        <figcaption className="sp-sr">{label}</figcaption>
      </figure>
    </div>
  );
}

type State = 'flat' | 'scene';

/** Keeps a scene on the canvas. Uses effects, because the canvas, its size and its drawing live outside React. */
function useScene(canvas: { readonly current: HTMLCanvasElement | null }, src: string): State {
  const { skin, performance } = useUiSettings();
  const [scene, setScene] = useState<Scene | null>(null);
  const [state, setState] = useState<State>('flat');
  const { reduceMotion: reduced, imageOptimization: optimised } = performance;
  const near = useNearViewport(canvas, performance.lazyLoading);
  const options = useEffectEvent(() => ({ settings: skin, still: reduced || prefersReducedMotion(), optimised }));

  useEffect(() => {
    if (!near) return;
    let gone = false;
    let made: Scene | undefined;
    const open = async () => {
      if (!hasWebGl()) return;
      const { createScene } = await import('./skin-scene.ts');
      if (gone || !canvas.current) return;
      made = createScene(canvas.current, options());
      setScene(made);
    };
    // On failure (no network, no driver) the flat picture stays.
    void open().catch(() => undefined);
    return () => {
      gone = true;
      made?.dispose();
    };
  }, [canvas, near]);

  useEffect(() => {
    if (!scene) return;
    let current = true;
    const show = async () => {
      const address = imageUrl(src, location.href);
      if (address === null) throw new Error('no address of a picture');
      await scene.load(address);
    };
    show().then(
      () => current && setState('scene'),
      () => current && setState('flat'),
    );
    return () => {
      current = false;
    };
  }, [scene, src]);

  useEffect(() => {
    scene?.apply({ settings: skin, still: reduced || prefersReducedMotion(), optimised });
  }, [scene, skin, reduced, optimised]);

  useEffect(() => {
    const box = canvas.current;
    if (!scene || !box) return;
    const sizes = new ResizeObserver(() => scene.resize());
    const sight = new IntersectionObserver((entries) => scene.pause(!entries.some((entry) => entry.isIntersecting)));
    const system = matchMedia('(prefers-reduced-motion: reduce)');
    const still = () => scene.apply(options());
    sizes.observe(box);
    sight.observe(box);
    system.addEventListener('change', still);
    return () => {
      sizes.disconnect();
      sight.disconnect();
      system.removeEventListener('change', still);
    };
  }, [canvas, scene]);

  return state;
}

interface Part {
  /** Where it stands on the drawing, 16×32. */
  readonly at: readonly [number, number];
  readonly size: readonly [number, number];
  /** Corners of the same part on the picture, undermost first. What lies outside of an old, lower picture draws nothing. */
  readonly from: readonly (readonly [number, number])[];
  /** The undermost is the other side's, turned round: old pictures have no left limbs of their own. */
  readonly turned?: boolean;
}
const PARTS: readonly Part[] = [
  {
    at: [0, 8],
    size: [4, 12],
    from: [
      [44, 20],
      [44, 36],
    ],
  },
  {
    at: [12, 8],
    size: [4, 12],
    from: [
      [44, 20],
      [36, 52],
      [52, 52],
    ],
    turned: true,
  },
  {
    at: [4, 20],
    size: [4, 12],
    from: [
      [4, 20],
      [4, 36],
    ],
  },
  {
    at: [8, 20],
    size: [4, 12],
    from: [
      [4, 20],
      [20, 52],
      [4, 52],
    ],
    turned: true,
  },
  {
    at: [4, 8],
    size: [8, 12],
    from: [
      [20, 20],
      [20, 36],
    ],
  },
  {
    at: [4, 0],
    size: [8, 8],
    from: [
      [8, 8],
      [40, 8],
    ],
  },
];

/** The front of the player, cut out of the picture by the browser; needs no scripts. */
function FlatSkin({ src }: { src: string }): ReactNode {
  return (
    <svg className="sp-skin__flat" viewBox="0 0 16 32" aria-hidden="true">
      {PARTS.flatMap(({ at: [x, y], size: [width, height], from, turned }) =>
        from.map(([left, top], layer) => (
          <g
            key={`${left}.${top}.${x}`}
            transform={turned && layer === 0 ? `translate(${2 * x + width} 0) scale(-1 1)` : undefined}
          >
            <svg x={x} y={y} width={width} height={height} viewBox={`${left} ${top} ${width} ${height}`}>
              <image href={src} width="64" height="64" preserveAspectRatio="xMinYMin meet" />
            </svg>
          </g>
        )),
      )}
    </svg>
  );
}
