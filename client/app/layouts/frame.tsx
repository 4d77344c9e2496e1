import type { ComponentType, ReactNode } from 'react';
import { Outlet } from 'react-router';

/** A layout around the current page, of a component that takes its page as children. */
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
