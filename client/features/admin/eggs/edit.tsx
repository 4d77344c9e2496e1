import { editScreen } from '#client/resource/form.tsx';
import { eggs } from '#shared/resources/eggs.ts';
import { overrides } from './overrides.tsx';

const screen = editScreen(eggs, (api) => api.adminEggs, overrides);
export const { loader, action, pageName } = screen;
export default screen.Screen;
