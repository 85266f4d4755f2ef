import { type PageDefinition, PageKind, type Reflection, Slugger } from 'typedoc';
import { ModuleRouter } from 'typedoc-plugin-markdown';

/** A page for each package; its modules and their names are headings on it. */
export class PackageRouter extends ModuleRouter {
  override buildChildPages(page: Reflection, pages: PageDefinition[]): void {
    const url = this.getFileName(page.name.replace(/^.*\//, ''));
    this.fullUrls.set(page, url);
    this.sluggers.set(page, new Slugger(this.sluggerConfiguration));
    pages.push({ kind: PageKind.Reflection, model: page, url });
    page.traverse((module) => {
      this.#anchor(module, page);
      module.traverse((member) => {
        this.#anchor(member, page);
        return true;
      });
      return true;
    });
  }

  /** Sets the anchor that GitHub generates for a heading. Must be called in the order of the headings. */
  #anchor(target: Reflection, page: Reflection): void {
    const anchor = this.getSlugger(page).slug(target.name);
    this.fullUrls.set(target, `${this.fullUrls.get(page)}#${anchor}`);
    this.anchors.set(target, anchor);
  }
}
