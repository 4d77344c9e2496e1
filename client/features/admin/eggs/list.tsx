import { listScreen } from '#client/resource/list.tsx';
import { eggs } from '#shared/resources/eggs.ts';
import { overrides } from './overrides.tsx';

const screen = listScreen(eggs, (api) => api.adminEggs, overrides);
export const { loader, action } = screen;
export default screen.Screen;
