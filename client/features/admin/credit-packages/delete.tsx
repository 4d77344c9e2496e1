import { deleteScreen } from '#client/resource/delete.tsx';
import { creditPackages } from '#shared/resources/credit-packages.ts';
import { overrides } from './overrides.tsx';

const screen = deleteScreen(creditPackages, (api) => api.adminCreditPackages, overrides);
export const { loader, action, pageName } = screen;
export default screen.Screen;
