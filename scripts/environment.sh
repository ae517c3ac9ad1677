# Sourced by the scripts that build: goes to the repository root and tells ccache what it may ignore.
cd "$(dirname "${BASH_SOURCE[0]}")/.."

# Precompiled headers are cached only where time macros and time stamps may differ.
export CCACHE_SLOPPINESS=pch_defines,time_macros,include_file_mtime,include_file_ctime
# Clones and build trees in different places share what they compiled.
export CCACHE_BASEDIR="$PWD"
export CCACHE_NOHASHDIR=1
