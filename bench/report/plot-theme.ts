/** The fonts and colors of every plot, on light pages and on dark ones. */
export const THEME = `
  text { font: 13px system-ui, sans-serif; fill: #1f2328 }
  .title { font-size: 17px; font-weight: 600 }
  .note { fill: #59636e }
  .background { fill: #ffffff }
  @media (prefers-color-scheme: dark) {
    text { fill: #f0f6fc }
    .note { fill: #9198a1 }
    .background { fill: #0d1117 }
  }`;
