import { deleteScreen } from '#client/resource/delete.tsx';
import { eggs } from '#shared/resources/eggs.ts';
import { overrides } from './overrides.tsx';

const screen = deleteScreen(eggs, (api) => api.adminEggs, overrides);
export const { loader, action, pageName } = screen;
export default screen.Screen;
