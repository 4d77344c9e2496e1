import { useMemo, useRef } from 'react';
import type { ReactNode } from 'react';
import { imageUrl, variants } from '#client/lib/lazy-url.ts';
import { useHydrated } from '#client/lib/use-hydrated.ts';
import { useNear } from '#client/lib/use-near.ts';
import { useUiSettings } from '#client/lib/ui-settings-store.ts';

interface LazyImageProps {
  src: string;
  alt: string;
  /** Size of the place in pixels, so that nothing moves when the picture arrives. */
  width: number;
  height: number;
  className?: string;
  /**
   * Widths in which the server offers the picture (`?w=`); with "optimise images" on, the browser takes the one that
   * fits.
   */
  widths?: readonly number[];
  sizes?: string;
}

/**
 * A picture that is loaded when it comes near. With lazy loading off it is loaded at once; a wrong address shows
 * nothing.
 */
export function LazyImage({
  src,
  alt,
  width,
  height,
  className,
  widths = [],
  sizes = `${width}px`,
}: LazyImageProps): ReactNode {
  const { lazyLoading, imageOptimization } = useUiSettings().performance;
  const element = useRef<HTMLImageElement>(null);
  const near = useNear(element, lazyLoading);
  // The server does not know which pictures are near, and has no address to resolve against: all of it begins in the
  // browser.
  const hydrated = useHydrated();
  const url = useMemo(() => (hydrated ? imageUrl(src, location.href) : null), [hydrated, src]);
  const shown = url !== null && near;
  const optimised = shown && imageOptimization;
  return (
    <img
      ref={element}
      alt={alt}
      width={width}
      height={height}
      className={className}
      decoding={imageOptimization ? 'async' : 'auto'}
      src={shown ? url : undefined}
      srcSet={optimised && widths.length > 0 ? variants(url, widths) : undefined}
      sizes={optimised && widths.length > 0 ? sizes : undefined}
    />
  );
}
