import { createScreen } from '#client/resource/form.tsx';
import { eggs } from '#shared/resources/eggs.ts';
import { overrides } from './overrides.tsx';

const screen = createScreen(eggs, (api) => api.adminEggs, overrides);
export const { loader, action } = screen;
export default screen.Screen;
