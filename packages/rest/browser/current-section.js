/* Marks the link to the section that the user is reading. */

/** @param {HTMLElement} navigation */
export function startCurrentSection(navigation) {
  /** @type {Map<Element, Element>} */
  const links = new Map();
  for (const link of navigation.querySelectorAll('h2 a, li:not(.detail) a')) {
    const section = document.getElementById((link.getAttribute('href') ?? '').slice(1));
    if (section !== null) {
      links.set(section, link);
    }
  }
  const crossing = new Set();
  const mark = () => {
    // The innermost section, because nested sections come later.
    const current = [...links.keys()].findLast((section) => crossing.has(section));
    for (const [section, link] of links) {
      if (section === current) {
        link.setAttribute('aria-current', 'location');
      } else {
        link.removeAttribute('aria-current');
      }
    }
  };
  // A line near the top of the window, below the position that a link scrolls its section to.
  const observer = new IntersectionObserver(
    (entries) => {
      for (const { target, isIntersecting } of entries) {
        if (isIntersecting) {
          crossing.add(target);
        } else {
          crossing.delete(target);
        }
      }
      mark();
    },
    { rootMargin: '-10% 0px -90% 0px' },
  );
  for (const section of links.keys()) {
    observer.observe(section);
  }
}
