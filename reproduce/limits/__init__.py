"""Where does the released model stop working?"""
