import type { ComponentType, ReactNode } from 'react';
import { Outlet } from 'react-router';

/** Makes a layout module of a component that takes the page as children. */
export function frame(Layout: ComponentType<{ children: ReactNode }>): { readonly default: ComponentType } {
  return {
    default: function Frame(): ReactNode {
      return (
        <Layout>
          <Outlet />
        </Layout>
      );
    },
  };
}
