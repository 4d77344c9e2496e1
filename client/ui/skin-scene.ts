import { SkinViewer, WalkingAnimation, type PlayerAnimation } from 'skinview3d';
import { animate } from '#client/lib/frames.ts';
import type { UiSettings } from '#shared/ui-settings.ts';

export interface SceneOptions {
  readonly settings: UiSettings['skin'];
  /** Nothing moves by itself: the visitor prefers reduced motion. */
  readonly still: boolean;
  /** The setting "optimise images": fewer pixels on high-density screens. */
  readonly optimised: boolean;
}
export interface Scene {
  /** Shows another picture. Rejects when it cannot be loaded. */
  load(address: string): Promise<void>;
  apply(options: SceneOptions): void;
  /** Fits the drawing to the canvas' box. */
  resize(): void;
  /** Stops drawing while it is not visible. */
  pause(paused: boolean): void;
  dispose(): void;
}

/** The part of a viewer that the settings change. */
interface ConfigurableViewer {
  animation: PlayerAnimation | null;
  zoom: number;
  autoRotate: boolean;
  readonly cameraLight: { intensity: number };
  readonly globalLight: { intensity: number };
}

/** Applies the visitor's settings to a viewer; a running walk continues. */
export function applySettings(
  viewer: ConfigurableViewer,
  { walking, autoRotate, zoom, animationSpeed, cameraLight, globalLight }: SceneOptions['settings'],
): void {
  if (!walking) viewer.animation = null;
  else viewer.animation ??= new WalkingAnimation();
  if (viewer.animation) viewer.animation.speed = animationSpeed;
  viewer.autoRotate = autoRotate;
  viewer.zoom = zoom;
  viewer.cameraLight.intensity = cameraLight;
  viewer.globalLight.intensity = globalLight;
}

/** Pixel ratio beyond which a figure of cubes looks no better. */
const MAX_PIXEL_RATIO = 2;

/** The pixel ratio to draw with. In: whether images are optimised, and the screen's own pixel ratio. */
export function pixelRatioFor(optimised: boolean, screen: number): number | 'match-device' {
  return optimised && screen > MAX_PIXEL_RATIO ? MAX_PIXEL_RATIO : 'match-device';
}

/** From slightly above and beside, so that three sides are seen. */
const POSE = { x: 0.15, y: -0.5 } as const;

/**
 * A player in three dimensions, drawn into a canvas at most as often as the visitor's frame limit allows; it can be
 * rotated by dragging, and does not block scrolling. Throws where the browser has no WebGL.
 */
export function createScene(canvas: HTMLCanvasElement, options: SceneOptions): Scene {
  const viewer = new SkinViewer({
    canvas,
    width: canvas.clientWidth,
    height: canvas.clientHeight,
    renderPaused: true,
    enableControls: true,
  });
  viewer.controls.enableZoom = false;
  // Touch scrolls the page vertically and rotates the player horizontally.
  canvas.style.touchAction = 'pan-y';
  viewer.playerWrapper.rotation.set(POSE.x, POSE.y, 0);
  let now = options;
  let last: number | null = null;
  let stop: (() => void) | null = null;
  let hidden = false;

  const draw = () => {
    viewer.controls.update();
    viewer.render();
  };
  const step = (timeMs: number): boolean => {
    const seconds = last === null ? 0 : Math.min(0.1, (timeMs - last) / 1000);
    last = timeMs;
    viewer.animation?.update(viewer.playerObject, seconds);
    if (viewer.autoRotate) viewer.playerWrapper.rotation.y += seconds * viewer.autoRotateSpeed;
    draw();
    return true;
  };
  const run = () => {
    stop?.();
    last = null;
    const moving = !hidden && !now.still && (viewer.animation !== null || viewer.autoRotate);
    stop = moving ? animate(step) : null;
    if (!moving && !hidden) draw();
  };
  const apply = (next: SceneOptions) => {
    now = next;
    viewer.pixelRatio = pixelRatioFor(next.optimised, window.devicePixelRatio);
    applySettings(viewer, next.settings);
    run();
  };
  const turned = () => {
    if (!stop && !hidden) viewer.render();
  };
  viewer.controls.addEventListener('change', turned);
  apply(options);
  return {
    load: async (address) => {
      await viewer.loadSkin(address);
      if (!stop && !hidden) draw();
    },
    apply,
    resize: () => {
      if (canvas.clientWidth === 0 || (viewer.width === canvas.clientWidth && viewer.height === canvas.clientHeight))
        return;
      viewer.renderer.setSize(canvas.clientWidth, canvas.clientHeight, false);
      viewer.setSize(canvas.clientWidth, canvas.clientHeight);
      canvas.style.removeProperty('width');
      canvas.style.removeProperty('height');
      if (!stop && !hidden) draw();
    },
    pause: (paused) => {
      hidden = paused;
      run();
    },
    dispose: () => {
      stop?.();
      viewer.dispose();
    },
  };
}
