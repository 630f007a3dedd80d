import { useId, type ReactNode } from 'react';
import type { SeriesStyle, Texture } from './series-style.ts';

const TILE_PX = 6;

/** Drawn on the pale background of a tile. */
const marks: Readonly<Record<Exclude<Texture, 'solid'>, ReactNode>> = {
  stripes: <rect width={3} height={6} />,
  dots: <circle cx={3} cy={3} r={1.75} />,
  counterstripes: <rect width={3} height={6} />,
  grid: <path d="M0 0H6V2H2V6H0Z" />,
  rows: <rect width={6} height={3} />,
};

const turns: Partial<Readonly<Record<Texture, string>>> = { stripes: 'rotate(45)', counterstripes: 'rotate(-45)' };

/** Dash pattern of lines by texture. */
export const dashes: Readonly<Record<Texture, string | undefined>> = {
  solid: undefined,
  stripes: '6 3',
  dots: '2 3',
  counterstripes: '10 4',
  grid: '8 3 2 3',
  rows: '8 3 2 3 2 3',
};

/** An SVG `fill`. @param id ID of the style's `TexturePattern` in the same SVG */
export function fillOf({ colour, texture }: SeriesStyle, id: string): string {
  return texture === 'solid' ? colour : `url(#${id})`;
}

export function TexturePattern({
  id,
  style: { colour, texture },
}: {
  readonly id: string;
  readonly style: SeriesStyle;
}) {
  if (texture === 'solid') return null;
  return (
    <pattern id={id} width={TILE_PX} height={TILE_PX} patternUnits="userSpaceOnUse" patternTransform={turns[texture]}>
      <rect width={TILE_PX} height={TILE_PX} fill={colour} fillOpacity={0.3} />
      <g fill={colour}>{marks[texture]}</g>
    </pattern>
  );
}

/** Fills its container with a style. */
export function Filled({ style }: { readonly style: SeriesStyle }): ReactNode {
  const id = useId();
  return (
    <svg aria-hidden className="block size-full" style={{ color: style.colour }} data-texture={style.texture}>
      <TexturePattern id={id} style={style} />
      <rect width="100%" height="100%" fill={fillOf(style, id)} />
    </svg>
  );
}

/** Legend swatch of a series. */
export function Swatch({ style }: { readonly style: SeriesStyle }): ReactNode {
  return (
    <span className="size-1.5 shrink-0 overflow-hidden rounded-small">
      <Filled style={style} />
    </span>
  );
}
